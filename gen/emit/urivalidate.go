package emit

import (
	"strconv"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/specdrivers/onion/gen/load"
	"github.com/specdrivers/onion/gen/model"
)

// uriValidateFile prints
//
//	func Validate(c *options.Client, srv bool, hosts int) error {
//		wc, rp := emitted.Value(c.WriteConcern), emitted.Value(c.ReadPreference)
//		switch {
//		case emitted.Value(c.DirectConnection) && hosts > 1:
//			return errors.New("directConnection=true needs exactly one host")
//		}
//		return ranges(c)
//	}
func uriValidateFile(m *model.URI) *jen.File {
	f := newFile(uriDir, uriTable)
	var b strings.Builder
	b.WriteString("// Validate checks the merged options of a client: the rules between options, then the range of each.\n" +
		"// hosts is the number of hosts, after SRV records have been looked up.\n")
	b.WriteString("func Validate(c *options.Client, srv bool, hosts int) error {\n")
	b.WriteString("wc, rp := emitted.Value(c.WriteConcern), emitted.Value(c.ReadPreference)\nswitch {\n")
	for _, r := range m.Rules {
		var all []string
		for _, c := range r.Conditions {
			all = append(all, uriCondition(c))
		}
		b.WriteString("case " + strings.Join(all, " && ") + ":\nreturn errors.New(" + strconv.Quote(r.Message) + ")\n")
	}
	b.WriteString("}\nreturn ranges(c)\n}")
	addSource(f, b.String())
	printURIRanges(f, m)
	return f
}

// uriCondition returns the Go expression of one condition.
func uriCondition(c model.URICondition) string {
	if c.Option == nil {
		return map[string]string{"several": "hosts > 1", "srv": "srv", "other": "!srv"}[c.State]
	}
	field := "c." + c.Option.Field
	field = strings.Replace(strings.Replace(field, "c.WriteConcern.", "wc.", 1), "c.ReadPreference.", "rp.", 1)
	switch {
	case c.State == "above":
		return "emitted.ExceedsLimit(" + field + ", c." + c.Limit.Field + ", " + strconv.Itoa(c.LimitIs) + ")"
	case c.State == "primary":
		return field + " <= options.Primary"
	case c.State == "zero":
		return field + " == 0"
	case c.State == "true":
		return "emitted.Value(" + field + ")"
	case c.State == "positive":
		return "emitted.Value(" + field + ") > 0"
	case c.State == "nonempty":
		return "emitted.HasElements(" + field + ")"
	case strings.HasPrefix(c.Option.Type, "[]"):
		return "len(" + field + ") > 0"
	case c.Option.Type == "*string" && c.State == "present":
		return "emitted.Value(" + field + `) != ""`
	case c.Option.Type == "*string":
		return "emitted.Value(" + field + `) == ""`
	case c.State == "absent":
		return field + " == nil"
	}
	return field + " != nil"
}

// printURIRanges prints
//
//	func ranges(c *options.Client) error {
//		return cmp.Or(
//			emitted.CheckBetween("MaxPoolSize", c.MaxPoolSize, 0, math.MaxInt32),
//		)
//	}
func printURIRanges(f *jen.File, m *model.URI) {
	var b strings.Builder
	b.WriteString("func ranges(c *options.Client) error {\nreturn errors.Join(\n")
	for _, r := range m.Ranges {
		b.WriteString(uriRange(r) + ",\n")
	}
	for _, o := range m.Lengths {
		b.WriteString("emitted.CheckAtMost(" + strconv.Quote(o.Field) +
			", c." + o.Field + ", " + strconv.FormatInt(o.MaxBytes, 10) + "),\n")
	}
	for _, o := range m.Words {
		b.WriteString("emitted.CheckOneOf(" + strconv.Quote(o.Field) + ", c." + o.Field + ", " + quoteAll(o.Value.Words) + "),\n")
	}
	b.WriteString(")\n}")
	addSource(f, b.String())
}

func uriRange(r load.ClientOption) string {
	name := strconv.Quote(r.Field) + ", c." + r.Field + ", "
	if r.Go == "*time.Duration" {
		if *r.Min == 0 {
			return "emitted.CheckAtLeast(" + name + "0)"
		}
		return "emitted.CheckAtLeast(" + name + strconv.FormatInt(*r.Min, 10) + "*time.Millisecond)"
	}
	most := "math.MaxInt32"
	if r.Max != nil {
		most = strconv.FormatInt(*r.Max, 10)
	}
	return "emitted.CheckBetween(" + name + strconv.FormatInt(*r.Min, 10) + ", " + most + ")"
}
