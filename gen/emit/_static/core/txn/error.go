package txn

// Error is an input that the state does not allow.
type Error string

func (e Error) Error() string { return string(e) }
