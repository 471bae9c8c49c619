package uri

import (
	"slices"
	"strings"

	"github.com/specdrivers/onion/generated/core/uritable"
	"github.com/specdrivers/onion/generated/options"
)

// Boolean parses true and false. It also accepts their old spellings, with a warning.
func (p *parser) Boolean(o uritable.Option, s string) (v, ok bool) {
	switch s {
	case "true", "false":
		return s == "true", true
	case "1", "yes", "y", "t":
		p.warn(uritable.DeprecatedBoolean(o.String(), s, "true"))
		return true, true
	case "0", "-1", "no", "n", "f":
		p.warn(uritable.DeprecatedBoolean(o.String(), s, "false"))
		return false, true
	}
	return false, false
}

// List keeps the items of a comma-separated list that are known and warns about the others.
func (p *parser) List(o uritable.Option, s string, known ...string) []string {
	var out []string
	for item := range strings.SplitSeq(s, ",") {
		if slices.Contains(known, item) {
			out = append(out, item)
		} else {
			p.warn(uritable.UnsupportedValue(o.String()))
		}
	}
	return out
}

// Tags parses key:value pairs in their order; the empty text is the empty set.
func (*parser) Tags(s string) (options.TagSet, bool) {
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

// Pairs parses key:value pairs.
func (p *parser) Pairs(s string) (map[string]string, bool) {
	set, ok := p.Tags(s)
	out := make(map[string]string, len(set))
	for _, t := range set {
		out[t.Name] = t.Value
	}
	return out, ok
}
