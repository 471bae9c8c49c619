package uri

import (
	"slices"
	"strconv"
	"strings"

	"github.com/specdrivers/onion/generated/options"
)

// at returns what p points to. If p points to nil, it first allocates a value.
func at[T any](p **T) *T {
	if *p == nil {
		*p = new(T)
	}
	return *p
}

// boolean parses true and false. It also accepts their old spellings, with a warning.
func (p *parser) boolean(o Option, s string) (v, ok bool) {
	switch s {
	case "true", "false":
		return s == "true", true
	case "1", "yes", "y", "t":
		p.warn(DeprecatedBoolean(o.String(), s, "true"))
		return true, true
	case "0", "-1", "no", "n", "f":
		p.warn(DeprecatedBoolean(o.String(), s, "false"))
		return false, true
	}
	return false, false
}

// integer parses a decimal number within bounds.
func integer(s string, least, most int64) (int64, bool) {
	n, err := strconv.ParseInt(s, 10, 64)
	return n, err == nil && n >= least && n <= most
}

// list keeps the items of a comma-separated list that are known and warns about the others.
func (p *parser) list(o Option, s string, known ...string) []string {
	var out []string
	for item := range strings.SplitSeq(s, ",") {
		if slices.Contains(known, item) {
			out = append(out, item)
		} else {
			p.warn(UnsupportedValue(o.String()))
		}
	}
	return out
}

// tags parses key:value pairs in their order; the empty text is the empty set.
func tags(s string) (options.TagSet, bool) {
	set := options.TagSet{}
	if s == "" {
		return set, true
	}
	for item := range strings.SplitSeq(s, ",") {
		name, value, ok := strings.Cut(item, ":")
		if !ok {
			return nil, false
		}
		set = append(set, options.Tag{Name: name, Value: value})
	}
	return set, true
}

// pairs parses key:value pairs.
func pairs(s string) (map[string]string, bool) {
	set, ok := tags(s)
	out := make(map[string]string, len(set))
	for _, t := range set {
		out[t.Name] = t.Value
	}
	return out, ok
}
