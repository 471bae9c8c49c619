package model

import (
	"slices"
	"strings"
	"time"

	"github.com/specdrivers/onion/gen/load"
)

// URI is what the emitter of package core/uritable sees, options in the order of the table.
type URI struct {
	Options  []URIOption
	Warnings []load.URIWarning
	Rules    []URIRule
	Ranges   []load.ClientOption // fields with a smallest or largest value
	Lengths  []URIOption         // options whose value has a maximum length
	Words    []URIOption         // options whose value is one of a list of words
}

// URIOption is one option with its field and value rule resolved. Const is its Go name, Type the Go type of the field.
type URIOption struct {
	load.URIOption
	Const, Type string
	Target      string // Const of the option for which it is another name
	Value       load.URIValue
}

// URIRule is a forbidden combination, conditions in the order of the table.
type URIRule struct {
	Conditions []URICondition
	Message    string
}

// URICondition asks for the state of an option, or of a fact when Option is nil.
type URICondition struct {
	Option      *URIOption
	Fact, State string
	Limit       *URIOption // the option in "above <option>"
	LimitIs     int        // value of Limit when it is unset
}

// NewURI resolves and checks the table of connection string options.
func NewURI(t *load.Tables) *URI {
	in := t.URI()
	out := &URI{Warnings: in.Warnings}
	phrases := uriPhrases(t, in)
	types := fieldTypes(t)
	names := newUnique[string](t)
	for _, r := range in.Rows {
		names.add(strings.ToLower(r.Name), r.Name, r.At, "option %s is listed twice", r.Name)
		checkSentence(t, r.At, r.Doc)
		out.Options = append(out.Options, uriOption(t, r, phrases, types))
	}
	for phrase, used := range phrases {
		if !used.used {
			t.Problemf(used.At, "no option takes %q", phrase)
		}
	}
	resolveURIAliases(t, out)
	for _, c := range in.Conflicts {
		out.Rules = append(out.Rules, uriRule(t, out, load.URIRule{
			At: c.At, When: load.Map[string]{{At: c.At, Key: c.First, Value: "present"}, {At: c.At, Key: c.Second, Value: "present"}},
			Message: c.First + " and " + c.Second + " cannot both be set", Spec: c.Spec,
		}))
	}
	for _, r := range in.Rules {
		out.Rules = append(out.Rules, uriRule(t, out, r))
	}
	for _, w := range in.Warnings {
		for _, p := range w.Params {
			checkParameter(t, w.At, w.Name, p)
			if !strings.Contains(w.Template, "{"+p+"}") {
				t.Problemf(w.At, "template of %s does not use {%s}", w.Name, p)
			}
		}
	}
	for _, f := range NewClient(t).Fields {
		if f.Min != nil || f.Max != nil {
			out.Ranges = append(out.Ranges, f.ClientOption)
		}
	}
	return out
}

type usedValue struct {
	load.URIValue
	used bool
}

func uriPhrases(t *load.Tables, in *load.URI) map[string]*usedValue {
	out := map[string]*usedValue{}
	seen := newUnique[string](t)
	parsers := []string{"boolean", "integer", "text", "mode", "words", "list", "pairs", "tags", "staleness", "concern"}
	for _, v := range in.Values {
		seen.add(v.Phrase, v.Parser, v.At, "phrase %q is listed twice", v.Phrase)
		checkRange(t, v.At, v.Phrase, v.Min, v.Max)
		if !slices.Contains(parsers, v.Parser) {
			t.Problemf(v.At, "parser %s is not one of %s", v.Parser, strings.Join(parsers, ", "))
		}
		out[v.Phrase] = &usedValue{URIValue: v}
	}
	return out
}

// fieldTypes maps Field and Field.Sub of options.Client to their Go types.
func fieldTypes(t *load.Tables) map[string]string {
	structs := map[string][]load.TypeField{}
	for _, file := range t.OptionTypes() {
		for _, typ := range file.Types {
			structs[typ.Name] = typ.Fields
		}
	}
	out := map[string]string{}
	for _, r := range t.Client().Rows {
		out[r.Field] = r.Go
		for _, f := range structs[strings.TrimPrefix(r.Go, "*")] {
			out[r.Field+"."+f.Field] = f.Go
		}
	}
	return out
}

func uriOption(t *load.Tables, r load.URIOption, phrases map[string]*usedValue, types map[string]string) URIOption {
	o := URIOption{URIOption: r, Const: optionConst(r.Name), Type: types[r.Field]}
	for _, phrase := range []string{r.Values, r.Accepts} {
		v, ok := phrases[phrase]
		switch {
		case ok:
			o.Value, v.used = v.URIValue, true
		case phrase != "":
			t.Problemf(r.At, "%s: no row of values, at the top of the table, says how the phrase %q is parsed", r.Name, phrase)
		}
	}
	if _, ok := r.Override.Get("accepts"); ok && (r.Accepts == "" || r.Accepts == r.Values) {
		t.Problemf(r.At, "%s: the override of accepts no longer differs from upstream", r.Name)
	}
	if r.Field == "" && r.Alias == "" && r.Required == "" {
		t.Problemf(r.At, "%s: every driver needs the option, and it fills no field", r.Name)
	}
	checkURIDefault(t, r)
	if r.MaxBytes < 0 {
		t.Problemf(r.At, "%s: maxBytes %d is negative", r.Name, r.MaxBytes)
	}
	if r.Field != "" && o.Type == "" {
		t.Problemf(r.At, unknownField, r.Name, r.Field)
	}
	if r.Property != "" && (o.Type != "map[string]string" || o.Value.Parser != "text") {
		t.Problemf(r.At, "%s: a property is a text of a map, and options.Client.%s is a %s", r.Name, r.Field, o.Type)
	}
	if (o.Type == "*time.Duration") != (r.Unit != "") {
		t.Problemf(r.At, "%s: a duration needs a unit, and nothing else has one", r.Name)
	}
	return o
}

// checkURIDefault checks that the field has upstream's default, if upstream's table states one.
func checkURIDefault(t *load.Tables, r load.URIOption) {
	if _, on := r.Override.Get("default"); on || r.Default == "" || r.Alias != "" {
		return
	}
	for _, f := range t.Client().Rows {
		if f.Field == r.Field && plainDefault(f.Default) != plainDefault(r.Default) {
			t.Problemf(r.At, "%s: the default is %s, and that of options.Client.%s is %q (%s)", r.Name, r.Default, f.Field, f.Default, f.At)
		}
	}
}

// plainDefault brings a default from either table into one form: a number, a duration or a word. So 10,000 ms equals 10s.
func plainDefault(text string) string {
	if text == "no timeout" {
		text = "0"
	}
	if ms, ok := strings.CutSuffix(text, " ms"); ok {
		text = strings.ReplaceAll(ms, ",", "") + "ms"
	}
	if d, err := time.ParseDuration(text); err == nil {
		return d.String()
	}
	return text
}

// optionConst returns the Go name of an option: tlsInsecure becomes TLSInsecure.
func optionConst(name string) string {
	for _, initialism := range []string{"tls", "srv", "ssl"} {
		if rest, ok := strings.CutPrefix(name, initialism); ok {
			return strings.ToUpper(initialism) + rest
		}
	}
	return strings.ToUpper(name[:1]) + name[1:]
}

func resolveURIAliases(t *load.Tables, m *URI) {
	for i := range m.Options {
		o := &m.Options[i]
		if o.MaxBytes > 0 {
			m.Lengths = append(m.Lengths, *o)
		}
		if o.Value.Parser == "words" {
			m.Words = append(m.Words, *o)
		}
		if o.Alias == "" {
			continue
		}
		if target := m.option(o.Alias); target == nil || target.Field == "" {
			t.Problemf(o.At, "%s is another name of %s, which is not an option", o.Name, o.Alias)
		} else {
			o.Target = target.Const
		}
	}
}

func (m *URI) option(name string) *URIOption {
	for i := range m.Options {
		if m.Options[i].Name == name {
			return &m.Options[i]
		}
	}
	return nil
}

// facts are the conditions that are not options, with their states.
var facts = map[string][]string{"hosts": {"several"}, "scheme": {"srv", "other"}}

func uriRule(t *load.Tables, m *URI, r load.URIRule) URIRule {
	out := URIRule{Message: r.Message}
	for _, w := range r.When {
		c := URICondition{Option: m.option(w.Key), Fact: w.Key, State: w.Value}
		states := []string{"present", "absent", "true", "positive", "zero", "primary", "nonempty"}
		if c.Option == nil {
			states = facts[w.Key]
		}
		limit, above := strings.CutPrefix(w.Value, "above ")
		switch {
		case c.Option == nil && states == nil:
			t.Problemf(w.At, "%s is neither an option nor a fact", w.Key)
		case above && c.Option != nil && m.option(limit) != nil:
			c.State, c.Limit = "above", m.option(limit)
			for _, f := range t.Client().Rows {
				if f.Field == c.Limit.Field {
					c.LimitIs, _ = ClientField{ClientOption: f}.DefaultInt()
				}
			}
		case !slices.Contains(states, w.Value):
			t.Problemf(w.At, "%s cannot be %q", w.Key, w.Value)
		}
		out.Conditions = append(out.Conditions, c)
	}
	return out
}
