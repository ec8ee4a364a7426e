// A thread of the X280 that is declared and never run.
