// Package suite is part of the generator, not for users: it compiles specification test files into Go test suites.
//
// Find looks for test files of every format the specifications define, Compile turns each case into one Go test
// function named after it. A key or a value that the format does not document is a problem with file and line. Compile
// never ignores it: it does not compile that case. A case is one entry of a file's list of tests, or the whole file
// when the format holds one scenario.
//
// To add a format, add a file here with a row for formats, and the helpers that it calls below tools/suite. Only gen,
// tools/conformance and tools/specsync import this package.
package suite
