// The main file of every thread's translation unit. The build includes the user's kernel in front of it.
#include <komorebi/detail/main.h>
