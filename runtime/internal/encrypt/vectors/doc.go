// Package vectors says which package's tests read which test vectors, and fails the tests of a package that leave one of its vectors
// unopened. A vector that no test opens proves nothing.
//
// Only tests import it.
package vectors
