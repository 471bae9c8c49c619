// Package suite compiles specification test files into Go test suites.
//
// Find looks for test files of every format the specifications define, Compile turns each case into one Go test
// function named after it. A key or a value that the format does not document is a problem with file and line; the
// case it stands in is not compiled, and nothing is ever ignored. The unit of a case is the entry of a file's list of
// tests, or the file where the format holds one scenario.
//
// To add a format: a file here with a row for formats, and the helpers it calls below tools/suite.
// Imported by gen and by tools/conformance.
package suite
