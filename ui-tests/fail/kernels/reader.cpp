// The reader of the fixtures: never compiled.
