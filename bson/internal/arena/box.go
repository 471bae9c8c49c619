//go:build !purego

package arena

import "unsafe"

// Box is the address of a value that never changes again.
type Box = unsafe.Pointer

func box[T any](p *T) Box { return unsafe.Pointer(p) }
