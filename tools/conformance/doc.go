// Conformance compiles the tests of a checkout of the MongoDB specifications into Go, runs them, and reports how many
// cases of each suite pass.
//
//	go run ./tools/conformance -specs DIR [-suite NAME,...] [-run RE] [-json FILE] [-html FILE] [-pending]
//	go run ./tools/conformance -rows
//
// Every case in the files is counted as passed, failed or skipped; what cannot be compiled or built has failed, with
// the reason as its message. Only rows of specs/skips.yaml skip. The exit status is 1 when a case fails; with
// -pending, cases that only wait for their format to be compiled do not count towards it.
//
// With -rows it looks at our own cases instead: rows of the tables in specs that no case touches are errors, but for
// those that specs/coverage.yaml names with the upstream suite that does.
package main
