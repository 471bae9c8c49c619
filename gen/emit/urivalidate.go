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

// uriCondition returns the Go expression of one condition.
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
	case c.State == "nonempty":
		return "anyTag(" + field + ")"
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
