package uri

import (
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/specdrivers/onion/bson/emitted"
	"github.com/specdrivers/onion/generated/core/uritable"
	"github.com/specdrivers/onion/generated/options"
)

// pair is one key and value of the connection string, both percent-decoded, in the order given.
type pair struct{ Key, Value string }

// parser collects what the pairs say.
type parser struct {
	client   *options.Client
	warnings []string
	count    [uritable.OptionCount]int // how often each option is given
	left     [uritable.OptionCount]int // how many of them are not parsed yet

	properties []property // those with a key of their own
}

// property is a mechanism property under an old key of the connection string.
type property struct {
	option      uritable.Option
	name, value string
}

// parseOptions stores what the pairs say in the client and returns a warning for each pair that is ignored or outdated.
// The client holds the options of one source, a connection string or a TXT record. options.Merge joins sources. An
// error names the option and never holds a value.
func parseOptions(client *options.Client, pairs []pair) (warnings []string, err error) {
	p := parser{client: client}
	err = p.parse(pairs)
	return p.warnings, err
}

// parseTXT is parseOptions for a TXT record, which may set only a few options.
func parseTXT(client *options.Client, pairs []pair) (warnings []string, err error) {
	for _, given := range pairs {
		if o, ok := lookup(given.Key); ok && !o.AllowedInTXT() {
			return nil, errors.New("option " + o.String() + " is not allowed in a TXT record")
		}
	}
	return parseOptions(client, pairs)
}

// lookup finds an option by name, in any case.
func lookup(key string) (uritable.Option, bool) { return uritable.Lookup(strings.ToLower(key)) }

func (p *parser) parse(pairs []pair) error {
	found := make([]uritable.Option, len(pairs))
	for i, given := range pairs {
		o, ok := lookup(given.Key)
		if !ok {
			p.warn(uritable.UnsupportedOption(given.Key))
			continue
		}
		found[i] = o
		p.count[o]++
		p.left[o]++
	}
	for i, given := range pairs {
		if found[i] == 0 {
			continue
		}
		if err := p.set(found[i], given.Value); err != nil {
			return err
		}
	}
	p.addProperties()
	return nil
}

// Property keeps a property until all pairs are parsed. Of several values, the last one counts.
func (p *parser) Property(o uritable.Option, name, value string) {
	p.properties = slices.DeleteFunc(p.properties, func(have property) bool { return have.option == o })
	p.properties = append(p.properties, property{o, name, value})
}

// addProperties adds the properties that have a key of their own, unless they are also among the other ones.
//
// Specification: connection-string/connection-string-spec.md, "Deprecated Key Value Pairs".
func (p *parser) addProperties() {
	for _, old := range p.properties {
		key, replacement := strings.ToLower(old.option.String()), strings.ToLower(uritable.AuthMechanismProperties.String())+"="+old.name
		properties := &emitted.Ensure(&p.client.Auth).AuthMechanismProperties
		same := func(name string) bool { return strings.EqualFold(name, old.name) }
		if slices.ContainsFunc(slices.Collect(maps.Keys(*properties)), same) {
			p.warn(uritable.DeprecatedIgnored(key, replacement))
			continue
		}
		p.warn(uritable.DeprecatedKey(key, replacement))
		if *properties == nil {
			*properties = map[string]string{}
		}
		(*properties)[old.name] = old.value
	}
}

// set checks one pair against the names and counts of all pairs, then parses its value.
func (p *parser) set(given uritable.Option, value string) error {
	o, renamed := given.Target()
	p.left[given]--
	switch {
	case renamed && p.count[o] > 0:
		p.warn(uritable.DeprecatedIgnored(strings.ToLower(given.String()), strings.ToLower(o.String())))
		return nil
	case renamed:
		p.warn(uritable.DeprecatedKey(strings.ToLower(given.String()), strings.ToLower(o.String())))
	}
	switch {
	case p.count[given] == 1, o.List(), o.Same():
	case o.Once():
		return errors.New("option " + o.String() + " is given more than once")
	case p.left[given] == 0:
		p.warn(uritable.Repeated(given.String()))
	}
	if value == "" && !o.KeepsEmpty() {
		return p.takeEmpty(o)
	}
	ok, err := uritable.Set(p.client, o, value, p)
	if err == nil && !ok {
		if o.RejectsInvalid() {
			return errors.New("option " + o.String() + " has a value that is not allowed")
		}
		p.warn(uritable.UnsupportedValue(o.String()))
	}
	return err
}

// takeEmpty handles an option without a value.
func (p *parser) takeEmpty(o uritable.Option) error {
	switch {
	case o.RejectsEmpty():
		return errors.New("option " + o.String() + " is empty: give it a value or leave it out")
	case !o.IgnoresEmpty():
		p.warn(uritable.UnsupportedValue(o.String()))
	}
	return nil
}

func (p *parser) warn(text string) { p.warnings = append(p.warnings, text) }
