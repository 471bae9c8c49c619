// Package suite holds what every compiled test suite needs: the values that Go cannot write as literals. The packages
// below it know one format each: what a case of that format does, and what it asserts.
//
// Only compiled suites and tools import these packages. They are for tests: a value that cannot be read panics, since
// the compiler that wrote it has checked it.
package suite
