// Package vectors tells which test reads which test vector, and fails the tests of a package that leaves one of its vectors
// unread. A vector that no test opens proves nothing.
//
// Only tests import it.
package vectors
