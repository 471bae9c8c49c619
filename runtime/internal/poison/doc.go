// Package poison shows in tests whether something is used after it went back to a pool. With the build tag poison,
// memory that goes back is overwritten, and a [Mark] panics if its owner is used while it is in the pool, or goes back
// twice. Without the tag everything here is empty: no production binary holds any of it.
//
// `make poison` runs the suites with the tag. The packages of runtime may import it.
package poison
