// The writer of the fixtures: never compiled.
