package uri

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/specdrivers/onion/generated/options"
)

// Facts are what Validate needs to know besides the options.
type Facts struct {
	SRV   bool // the scheme is mongodb+srv
	Hosts int  // number of hosts, after SRV records have been looked up
}

// value returns what p points to, or the zero value.
func value[T any](p *T) T {
	if p == nil {
		return *new(T)
	}
	return *p
}

// above reports whether a count exceeds a limit. When the limit is not set, otherwise is the limit. A limit of 0 means
// no limit.
func above(n, limit *int, otherwise int) bool {
	if limit == nil {
		limit = &otherwise
	}
	return *limit > 0 && value(n) > *limit
}

// between checks that a number, when set, lies within bounds.
func between(name string, n *int, least, most int) error {
	if n == nil || *n >= least && *n <= most {
		return nil
	}
	if most == math.MaxInt32 {
		return fmt.Errorf("%s is %d, less than %d", name, *n, least)
	}
	return fmt.Errorf("%s is %d, not between %d and %d", name, *n, least, most)
}

// atLeast checks that a duration, when set, is not too short.
func atLeast(name string, d *time.Duration, least time.Duration) error {
	if d == nil || *d >= least {
		return nil
	}
	return fmt.Errorf("%s is %v, less than %v", name, *d, least)
}

// anyTag reports whether a tag set has a tag. The default tag sets, which are one empty set, have none.
func anyTag(sets []options.TagSet) bool {
	return slices.ContainsFunc(sets, func(set options.TagSet) bool { return len(set) > 0 })
}

// atMost checks the length of a text, when set.
func atMost(name string, s *string, most int) error {
	if len(value(s)) <= most {
		return nil
	}
	return fmt.Errorf("%s has %d bytes, more than %d", name, len(*s), most)
}

// oneOf checks that a word, when set, is one of a list.
func oneOf[T ~string](name string, s *T, words ...T) error {
	if s == nil || slices.Contains(words, *s) {
		return nil
	}
	return fmt.Errorf("%s is %q, not one of %v", name, *s, words)
}
