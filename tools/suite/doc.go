// Package suite serves compiled tests, not users: it holds what every compiled test suite needs: the values that Go cannot
// write as literals. Each package below it knows one format: what a case of that format does, and what it asserts.
//
// Only compiled suites and tools import these packages. They are for tests: a value that cannot be read panics, because
// the compiler that wrote it has checked it.
package suite
