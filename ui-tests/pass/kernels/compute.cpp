// The compute of the fixtures: never compiled.
