//go:build purego

package arena

// Box is the value itself. This is box.go without unsafe.
type Box = any

func box[T any](p *T) Box { return *p }
