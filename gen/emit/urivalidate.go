package emit

import (
	"strconv"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/specdrivers/onion/gen/load"
	"github.com/specdrivers/onion/gen/model"
)

// uriValidate prints
//
//	func Validate(c *options.Client, f Facts) error {
//		wc, rp := value(c.WriteConcern), value(c.ReadPreference)
//		switch {
//		case value(c.DirectConnection) && f.Hosts > 1:
//			return errors.New("directConnection=true needs exactly one host")
//		}
//		return ranges(c)
//	}
func uriValidate(m *model.URI) *jen.File {
	f := newFile(uriDir, uriTable)
	source(f, `
// Facts are what the rules need to know beside the options.
type Facts struct {
	SRV   bool // the scheme is mongodb+srv
	Hosts int  // number of hosts, after SRV records have been looked up
}

// value is what p points to, or the zero value.
func value[T any](p *T) T {
	if p == nil {
		return *new(T)
	}
	return *p
}`)
	var b strings.Builder
	b.WriteString("// Validate checks the merged options of a client: the rules between options, then the range of each.\n")
	b.WriteString("func Validate(c *options.Client, f Facts) error {\nwc, rp := value(c.WriteConcern), value(c.ReadPreference)\nswitch {\n")
	for _, r := range m.Rules {
		var all []string
		for _, c := range r.Conditions {
			all = append(all, uriCondition(c))
		}
		b.WriteString("case " + strings.Join(all, " && ") + ":\nreturn errors.New(" + strconv.Quote(r.Message) + ")\n")
	}
	b.WriteString("}\nreturn ranges(c)\n}")
	source(f, b.String())
	uriRanges(f, m)
	return f
}

// uriCondition is the Go expression of one condition.
func uriCondition(c model.URICondition) string {
	if c.Option == nil {
		return map[string]string{"several": "f.Hosts > 1", "srv": "f.SRV", "other": "!f.SRV"}[c.State]
	}
	field := "c." + c.Option.Field
	field = strings.Replace(strings.Replace(field, "c.WriteConcern.", "wc.", 1), "c.ReadPreference.", "rp.", 1)
	switch {
	case c.State == "above":
		return "above(" + field + ", c." + c.Limit.Field + ", " + strconv.Itoa(c.LimitIs) + ")"
	case c.State == "primary":
		return field + " <= options.Primary"
	case c.State == "zero":
		return field + " == 0"
	case c.State == "true":
		return "value(" + field + ")"
	case c.State == "positive":
		return "value(" + field + ") > 0"
	case strings.HasPrefix(c.Option.Type, "[]"):
		return "len(" + field + ") > 0"
	case c.Option.Type == "*string" && c.State == "present":
		return "value(" + field + `) != ""`
	case c.Option.Type == "*string":
		return "value(" + field + `) == ""`
	case c.State == "absent":
		return field + " == nil"
	}
	return field + " != nil"
}

// uriRanges prints
//
//	func ranges(c *options.Client) error {
//		return cmp.Or(
//			between("MaxPoolSize", c.MaxPoolSize, 0, math.MaxInt32),
//		)
//	}
func uriRanges(f *jen.File, m *model.URI) {
	source(f, `
// above reports whether a count exceeds a limit; 0 is no limit.
func above(n, limit *int, otherwise int) bool {
	if limit == nil {
		limit = &otherwise
	}
	return *limit > 0 && value(n) > *limit
}`)
	source(f, `
// between checks that a number that is set lies within bounds.
func between(name string, n *int, least, most int) error {
	if n == nil || *n >= least && *n <= most {
		return nil
	}
	if most == math.MaxInt32 {
		return fmt.Errorf("%s is %d, less than %d", name, *n, least)
	}
	return fmt.Errorf("%s is %d, not between %d and %d", name, *n, least, most)
}`)
	source(f, `
// atLeast checks that a duration that is set is not too short.
func atLeast(name string, d *time.Duration, least time.Duration) error {
	if d == nil || *d >= least {
		return nil
	}
	return fmt.Errorf("%s is %v, less than %v", name, *d, least)
}`)
	source(f, `
// atMost checks the length of a text that is set.
func atMost(name string, s *string, most int) error {
	if len(value(s)) <= most {
		return nil
	}
	return fmt.Errorf("%s has %d bytes, more than %d", name, len(*s), most)
}`)
	source(f, `
// oneOf checks a word that is set.
func oneOf[T ~string](name string, s *T, words ...T) error {
	if s == nil || slices.Contains(words, *s) {
		return nil
	}
	return fmt.Errorf("%s is %q, not one of %v", name, *s, words)
}`)
	var b strings.Builder
	b.WriteString("func ranges(c *options.Client) error {\nreturn errors.Join(\n")
	for _, r := range m.Ranges {
		b.WriteString(uriRange(r) + ",\n")
	}
	for _, o := range m.Lengths {
		b.WriteString("atMost(" + strconv.Quote(o.Field) + ", c." + o.Field + ", " + strconv.FormatInt(o.MaxBytes, 10) + "),\n")
	}
	for _, o := range m.Words {
		b.WriteString("oneOf(" + strconv.Quote(o.Field) + ", c." + o.Field + ", " + quoted(o.Value.Words) + "),\n")
	}
	b.WriteString(")\n}")
	source(f, b.String())
}

func uriRange(r load.ClientOption) string {
	name := strconv.Quote(r.Field) + ", c." + r.Field + ", "
	if r.Go == "*time.Duration" {
		if *r.Min == 0 {
			return "atLeast(" + name + "0)"
		}
		return "atLeast(" + name + strconv.FormatInt(*r.Min, 10) + "*time.Millisecond)"
	}
	most := "math.MaxInt32"
	if r.Max != nil {
		most = strconv.FormatInt(*r.Max, 10)
	}
	return "between(" + name + strconv.FormatInt(*r.Min, 10) + ", " + most + ")"
}
