package option

// Or returns what p points to, or the value otherwise if the option is unset.
func Or[T any](p *T, otherwise T) T {
	if p == nil {
		return otherwise
	}
	return *p
}
