package emitted

import "slices"

// SameValue compares what two pointers point to, which may be nothing.
func SameValue[T comparable](a, b *T) bool {
	return a == b || a != nil && b != nil && *a == *b
}

// SameError compares the texts of errors.
func SameError(a, b error) bool {
	return a == nil && b == nil || a != nil && b != nil && a.Error() == b.Error()
}

// SameSet compares lists regardless of order. Servers usually keep the order, so it tries that before it sorts.
func SameSet(a, b []string) bool {
	if slices.Equal(a, b) {
		return true
	}
	return len(a) == len(b) && slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}
