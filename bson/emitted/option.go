package emitted

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"
)

// Value returns what p points to, or the zero value.
func Value[T any](p *T) T {
	if p == nil {
		return *new(T)
	}
	return *p
}

// ExceedsLimit reports whether a count exceeds a limit. When the limit is not set, otherwise is the limit. A limit of 0
// means no limit.
func ExceedsLimit(n, limit *int, otherwise int) bool {
	if limit == nil {
		limit = &otherwise
	}
	return *limit > 0 && Value(n) > *limit
}

// CheckBetween checks that a number, when set, lies within bounds.
func CheckBetween(name string, n *int, least, most int) error {
	if n == nil || *n >= least && *n <= most {
		return nil
	}
	if most == math.MaxInt32 {
		return fmt.Errorf("%s is %d, less than %d", name, *n, least)
	}
	return fmt.Errorf("%s is %d, not between %d and %d", name, *n, least, most)
}

// CheckAtLeast checks that a duration, when set, is not too short.
func CheckAtLeast(name string, d *time.Duration, least time.Duration) error {
	if d == nil || *d >= least {
		return nil
	}
	return fmt.Errorf("%s is %v, less than %v", name, *d, least)
}

// HasElements reports whether one of the lists has an element.
func HasElements[S ~[]E, E any](lists []S) bool {
	return slices.ContainsFunc(lists, func(list S) bool { return len(list) > 0 })
}

// Ensure returns what p points to. If p points to nil, it first allocates a value.
func Ensure[T any](p **T) *T {
	if *p == nil {
		*p = new(T)
	}
	return *p
}

// ParseInteger parses a decimal number within bounds.
func ParseInteger(s string, least, most int64) (int64, bool) {
	n, err := strconv.ParseInt(s, 10, 64)
	return n, err == nil && n >= least && n <= most
}

// CheckAtMost checks the length of a text, when set.
func CheckAtMost(name string, s *string, most int) error {
	if len(Value(s)) <= most {
		return nil
	}
	return fmt.Errorf("%s has %d bytes, more than %d", name, len(*s), most)
}

// CheckOneOf checks that a word, when set, is one of a list.
func CheckOneOf[T ~string](name string, s *T, words ...T) error {
	if s == nil || slices.Contains(words, *s) {
		return nil
	}
	return fmt.Errorf("%s is %q, not one of %v", name, *s, words)
}
