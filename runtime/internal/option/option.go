package option

// Or returns what p points to, or otherwise when the option is unset.
func Or[T any](p *T, otherwise T) T {
	if p == nil {
		return otherwise
	}
	return *p
}
