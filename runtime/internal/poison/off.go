//go:build !poison

package poison

// On says whether the program was built with the tag poison.
const On = false

// Bytes overwrites memory that goes back to a pool, up to its capacity.
func Bytes([]byte) {}

// Mark is a field of something that goes back to a pool. It takes no space, except at the end of a struct.
type Mark struct{}

// GoesBack notes that it is in the pool from now on.
func (*Mark) GoesBack() {}

// ComesOut notes that it is in use again.
func (*Mark) ComesOut() {}

// InUse panics if it is in the pool.
func (*Mark) InUse() {}
