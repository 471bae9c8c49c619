package emit

import (
	"math"
	"strconv"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/specdrivers/onion/gen/model"
)

// uriSetFile prints
//
//	type Parser interface {
//		Boolean(o Option, s string) (v, ok bool)
//	}
//
//	func Set(c *options.Client, o Option, s string, p Parser) (ok bool, err error) {
//		switch o {
//		case ConnectTimeoutMS:
//			n, ok := emitted.ParseInteger(s, 0, 2147483647)
//			if ok {
//				c.ConnectTimeout = new(time.Duration(n) * time.Millisecond)
//			}
//			return ok, nil
//		}
//		return false, nil
//	}
func uriSetFile(m *model.URI) *jen.File {
	f := newFile(uriDir, uriTable)
	addSource(f, uriParser)
	var b strings.Builder
	b.WriteString("// Set parses the value of an option and stores it; ok is false for a value that the option does not take.\n")
	b.WriteString("func Set(c *options.Client, o Option, s string, p Parser) (ok bool, err error) {\nswitch o {\n")
	for _, o := range m.Options {
		if o.Field != "" {
			b.WriteString("case " + o.Const + ":\n" + uriSetter(o))
		}
	}
	b.WriteString("}\nreturn false, nil\n}")
	addSource(f, b.String())
	return f
}

// uriParser declares a method for each way to read a value that does not depend on its option alone.
const uriParser = `// Parser reads values and collects what the pairs of a connection string share.
type Parser interface {
	Boolean(o Option, s string) (v, ok bool)
	List(o Option, s string, known ...string) []string
	Pairs(s string) (map[string]string, bool)
	Property(o Option, name, value string)
	Tags(s string) (options.TagSet, bool)
}`

// uriPlace returns the expression for the field that an option fills.
func uriPlace(o model.URIOption) string {
	if outer, inner, nested := strings.Cut(o.Field, "."); nested {
		return "emitted.Ensure(&c." + outer + ")." + inner
	}
	return "c." + o.Field
}

// uriSetter returns the body of an option's case.
func uriSetter(o model.URIOption) string {
	to := uriPlace(o)
	if o.Property != "" {
		return "p.Property(o, " + strconv.Quote(o.Property) + ", s)\nreturn true, nil\n"
	}
	switch o.Value.Parser {
	case "boolean":
		code := "v, ok := p.Boolean(o, s)\n"
		if o.Repeated == "same" {
			code += "if old := " + to + "; ok && old != nil && *old != v {\nreturn false, errors.New(\"option " + o.Name +
				" is given with different values\")\n}\n"
		}
		return code + uriStore(to, "&v")
	case "integer":
		return "n, ok := emitted.ParseInteger(s, " + uriBounds(o) + ")\n" + uriStore(to, uriNumber(o))
	case "staleness":
		return "if s == \"-1\" {\nreturn true, nil\n}\n" +
			"n, ok := emitted.ParseInteger(s, " + uriBounds(o) + ")\n" + uriStore(to, uriNumber(o))
	case "text":
		return uriTextSetter(o, to)
	case "mode":
		return "v, ok := options.ParseReadPreferenceMode(s)\n" + uriStore(to, "v")
	case "words":
		return "ok = slices.Contains([]string{" + quoteAll(o.Value.Words) + "}, s)\n" +
			uriStore(to, "new(options."+strings.TrimPrefix(o.Type, "*")+"(s))")
	case "list":
		return to + " = p.List(o, s, " + quoteAll(o.Value.Words) + ")\nreturn true, nil\n"
	case "pairs":
		return "v, ok := p.Pairs(s)\n" + uriStore(to, "v")
	case "tags":
		return "v, ok := p.Tags(s)\n" + uriStore(to, "append("+to+", v)")
	case "concern":
		return "if n, err := strconv.Atoi(s); err == nil {\nok = n >= 0 && n <= math.MaxInt32\n" +
			"if ok {\n" + to + " = n\n}\nreturn ok, nil\n}\n" + to + " = s\nreturn true, nil\n"
	}
	return "// no rule for " + o.Value.Parser + "\n"
}

// uriStore returns the statements that store a value if it was accepted.
func uriStore(to, value string) string {
	return "if ok {\n" + to + " = " + value + "\n}\nreturn ok, nil\n"
}

func uriTextSetter(o model.URIOption, to string) string {
	value := "&s"
	if o.Type == "string" {
		value = "s"
	}
	if o.MaxBytes > 0 {
		return "ok = len(s) <= " + strconv.FormatInt(o.MaxBytes, 10) + "\n" + uriStore(to, value)
	}
	return to + " = " + value + "\nreturn true, nil\n"
}

// uriNumber converts n to the type of the field.
func uriNumber(o model.URIOption) string {
	switch o.Unit {
	case "ms":
		return "new(time.Duration(n) * time.Millisecond)"
	case "s":
		return "new(time.Duration(n) * time.Second)"
	}
	return "new(int(n))"
}

// uriBounds returns the smallest and largest value. An integer has 32 bits unless the phrase says otherwise. A duration
// must fit time.Duration.
func uriBounds(o model.URIOption) string {
	most := int64(math.MaxInt32)
	if o.Value.Max != nil {
		most = *o.Value.Max
	}
	if most == math.MaxInt64 && o.Unit == "ms" {
		most /= 1_000_000
	}
	return strconv.FormatInt(*o.Value.Min, 10) + ", " + strconv.FormatInt(most, 10)
}

func quoteAll(words []string) string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = strconv.Quote(w)
	}
	return strings.Join(out, ", ")
}
