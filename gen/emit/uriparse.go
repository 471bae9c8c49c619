package emit

import "github.com/dave/jennifer/jen"

// uriParse prints the walk over the options of a connection string; it depends on no row.
func uriParse() *jen.File {
	f := newFile(uriDir, uriTable)
	source(f, sourceParser)
	source(f, `
// Parse stores what the pairs say in the client and returns a warning for each pair that is ignored or outdated. The
// client is that of one source, a connection string or a TXT record; options.Merge joins sources. An error names the
// option and never holds a value.
func Parse(client *options.Client, pairs []Pair) (warnings []string, err error) {
	p := parser{client: client}
	err = p.parse(pairs)
	return p.warnings, err
}`)
	source(f, sourceParseTXT)
	source(f, `
// Lookup finds an option by name, in any case.
func Lookup(key string) (Option, bool) { return lookup(strings.ToLower(key)) }`)
	source(f, sourceParse)
	source(f, sourcePair)
	source(f, sourceEmpty)
	return f
}

// uriValue prints the parsers of values; it depends on no row.
func uriValue() *jen.File {
	f := newFile(uriDir, uriTable)
	source(f, `
// at returns what p points to and makes it first where there is nothing.
func at[T any](p **T) *T {
	if *p == nil {
		*p = new(T)
	}
	return *p
}`)
	source(f, sourceBoolean)
	source(f, `
// integer parses a decimal number within bounds.
func integer(s string, least, most int64) (int64, bool) {
	n, err := strconv.ParseInt(s, 10, 64)
	return n, err == nil && n >= least && n <= most
}`)
	source(f, sourceList)
	source(f, sourceTags)
	source(f, sourcePairs)
	return f
}

const sourceParser = `
// Pair is one key and value of the connection string, both percent-decoded, in the order given.
type Pair struct{ Key, Value string }

// parser collects what the pairs say.
type parser struct {
	client   *options.Client
	warnings []string
	count    [options_]int // how often each option is given
	left     [options_]int // of these, how many are still to come
}`

const sourceParseTXT = `
// ParseTXT is Parse for a TXT record, which may set few options.
func ParseTXT(client *options.Client, pairs []Pair) (warnings []string, err error) {
	for _, pair := range pairs {
		if o, ok := Lookup(pair.Key); ok && !o.allowedInTXT() {
			return nil, errors.New("option " + o.String() + " is not allowed in a TXT record")
		}
	}
	return Parse(client, pairs)
}`

const sourceParse = `
func (p *parser) parse(pairs []Pair) error {
	found := make([]Option, len(pairs))
	for i, pair := range pairs {
		o, ok := Lookup(pair.Key)
		if !ok {
			p.warn(UnsupportedOption(pair.Key))
			continue
		}
		found[i] = o
		p.count[o]++
		p.left[o]++
	}
	for i, pair := range pairs {
		if found[i] == 0 {
			continue
		}
		if err := p.pair(found[i], pair.Value); err != nil {
			return err
		}
	}
	return nil
}`

const sourcePair = `
// pair judges one pair by the names and counts of all, then parses its value.
func (p *parser) pair(given Option, value string) error {
	o, renamed := given.target()
	p.left[given]--
	switch {
	case renamed && p.count[o] > 0:
		p.warn(DeprecatedIgnored(strings.ToLower(given.String()), strings.ToLower(o.String())))
		return nil
	case renamed:
		p.warn(DeprecatedKey(strings.ToLower(given.String()), strings.ToLower(o.String())))
	}
	switch {
	case p.count[given] == 1, o.list(), o.same():
	case o.once():
		return errors.New("option " + o.String() + " is given more than once")
	case p.left[given] == 0:
		p.warn(Repeated(given.String()))
	}
	if value == "" && !o.keepsEmpty() {
		return p.empty(o)
	}
	ok, err := p.set(o, value)
	if err == nil && !ok {
		p.unsupported(o, value)
	}
	return err
}`

const sourceEmpty = `
// empty handles an option without a value.
func (p *parser) empty(o Option) error {
	switch {
	case o.rejectsEmpty():
		return errors.New("option " + o.String() + " is empty")
	case !o.ignoresEmpty():
		p.unsupported(o, "")
	}
	return nil
}

func (p *parser) warn(text string) { p.warnings = append(p.warnings, text) }

func (p *parser) unsupported(o Option, value string) {
	if value != "" && o.Secret() {
		value = "<redacted>"
	}
	p.warn(UnsupportedValue(o.String(), value))
}`

const sourceBoolean = `
// boolean parses true, false and their old spellings, about which it warns.
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
}`

const sourceList = `
// list keeps the items of a comma-separated list that are known and warns about the others.
func (p *parser) list(o Option, s string, known ...string) []string {
	var out []string
	for item := range strings.SplitSeq(s, ",") {
		if slices.Contains(known, item) {
			out = append(out, item)
		} else {
			p.unsupported(o, item)
		}
	}
	return out
}`

const sourceTags = `
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
}`

const sourcePairs = `
// pairs parses key:value pairs.
func pairs(s string) (map[string]string, bool) {
	set, ok := tags(s)
	out := make(map[string]string, len(set))
	for _, t := range set {
		out[t.Name] = t.Value
	}
	return out, ok
}`
