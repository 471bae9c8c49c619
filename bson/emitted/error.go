package emitted

// Error is an error that is a constant text.
type Error string

func (e Error) Error() string { return string(e) }
