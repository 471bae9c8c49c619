package uri

import (
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/specdrivers/onion/generated/options"
)

// Pair is one key and value of the connection string, both percent-decoded, in the order given.
type Pair struct{ Key, Value string }

// parser collects what the pairs say.
type parser struct {
	client   *options.Client
	warnings []string
	count    [options_]int // how often each option is given
	left     [options_]int // how many of these are still to come

	properties []property // that have a key of their own
}

// property is a mechanism property under an old key of the connection string.
type property struct {
	option      Option
	name, value string
}

// Parse stores what the pairs say in the client and returns a warning for each pair that is ignored or outdated. The
// client holds the options of one source, a connection string or a TXT record. options.Merge joins sources. An error
// names the option and never holds a value.
func Parse(client *options.Client, pairs []Pair) (warnings []string, err error) {
	p := parser{client: client}
	err = p.parse(pairs)
	return p.warnings, err
}

// ParseTXT is Parse for a TXT record, which may set only a few options.
func ParseTXT(client *options.Client, pairs []Pair) (warnings []string, err error) {
	for _, pair := range pairs {
		if o, ok := Lookup(pair.Key); ok && !o.allowedInTXT() {
			return nil, errors.New("option " + o.String() + " is not allowed in a TXT record")
		}
	}
	return Parse(client, pairs)
}

// Lookup finds an option by name, in any case.
func Lookup(key string) (Option, bool) { return lookup(strings.ToLower(key)) }

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
	p.addProperties()
	return nil
}

// property keeps a property until all pairs are parsed. Of several values, the last one counts.
func (p *parser) property(o Option, name, value string) {
	p.properties = slices.DeleteFunc(p.properties, func(have property) bool { return have.option == o })
	p.properties = append(p.properties, property{o, name, value})
}

// addProperties adds the properties that have a key of their own, unless they are also among the other ones.
//
// Specification: connection-string/connection-string-spec.md, "Deprecated Key Value Pairs".
func (p *parser) addProperties() {
	for _, old := range p.properties {
		key, replacement := strings.ToLower(old.option.String()), strings.ToLower(AuthMechanismProperties.String())+"="+old.name
		properties := &at(&p.client.Auth).AuthMechanismProperties
		same := func(name string) bool { return strings.EqualFold(name, old.name) }
		if slices.ContainsFunc(slices.Collect(maps.Keys(*properties)), same) {
			p.warn(DeprecatedIgnored(key, replacement))
			continue
		}
		p.warn(DeprecatedKey(key, replacement))
		if *properties == nil {
			*properties = map[string]string{}
		}
		(*properties)[old.name] = old.value
	}
}

// pair checks one pair against the names and counts of all pairs, then parses its value.
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
		if o.rejectsInvalid() {
			return errors.New("option " + o.String() + " has a value that it does not take")
		}
		p.warn(UnsupportedValue(o.String()))
	}
	return err
}

// empty handles an option without a value.
func (p *parser) empty(o Option) error {
	switch {
	case o.rejectsEmpty():
		return errors.New("option " + o.String() + " is empty")
	case !o.ignoresEmpty():
		p.warn(UnsupportedValue(o.String()))
	}
	return nil
}

func (p *parser) warn(text string) { p.warnings = append(p.warnings, text) }
