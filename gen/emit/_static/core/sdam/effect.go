package sdam

// Has reports whether the set contains all of the effects.
func (e Effect) Has(effects Effect) bool { return e&effects == effects }
