#include "heat.h"
