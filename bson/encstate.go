package bson

// encFull are the bits when no option is set: all levels of nesting are left.
const encFull = DefaultMaxDepth * encLevel

func encBit(set bool, bit encBits) encBits {
	if set {
		return bit
	}
	return 0
}

// has reports whether an option is set.
func (f encState) has(o encBits) bool { return f.bits&o != 0 }

// hasNoOptions reports whether no option is set.
func (f encState) hasNoOptions() bool { return f.bits&(encLevel-1) == 0 }

// levels returns how many levels of nesting are left.
func (f encState) levels() int { return int(f.bits / encLevel) }

// descend takes one level from the levels that are left.
func (f encState) descend() (encState, error) {
	if f.bits < encLevel {
		return f, ErrMaxDepth
	}
	f.bits -= encLevel
	return f, nil
}
