// Package source is part of the generator, not for users: it reads specification test files into trees that remember what a
// compiler must not lose: the order of keys, the spelling of numbers, and the line of every value. It knows JSON and YAML
// but not what the files mean.
package source
