package fault

// fill stores e where target points: in a value of e's type or in a pointer to one. Errors are values, but programs ask
// for them in both forms (`var e fault.CommandError` and `var e fault.CommandError`).
func fill[E error](e E, target any) bool {
	switch t := target.(type) {
	case *E:
		*t = e
	case **E:
		*t = &e
	default:
		return false
	}
	return true
}

// as reports whether err itself, without what it wraps, is an E or points to one.
func as[E error](err error) (E, bool) {
	switch e := any(err).(type) {
	case E:
		return e, true
	case *E:
		if e != nil {
			return *e, true
		}
	}
	var none E
	return none, false
}
