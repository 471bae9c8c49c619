package model

import (
	"slices"
	"strconv"
	"strings"

	"github.com/specdrivers/onion/gen/load"
)

// Client is what the emitter of options.Client sees: the fields by name.
type Client struct {
	Doc    string
	Fields []ClientField
	Secret []string // fields that are never printed
}

// ClientField is one field. Merge names the type whose fields are merged one by one, or is empty.
type ClientField struct {
	load.ClientOption
	Merge string
}

// unknownField is the problem of a URI option whose field is missing.
const unknownField = "%s fills %s, which options.Client does not have; " +
	"its fields are in specs/options/client.yaml and specs/options/types"

// NewClient checks the fields of options.Client, and that the table of connection string options agrees on who fills them.
func NewClient(t *load.Tables) *Client {
	in := t.Client()
	out := &Client{Doc: in.Doc}
	names := newGoNames(t)
	filled := map[string][]string{}
	for _, o := range t.URI().Rows {
		if o.Field != "" {
			field, _, _ := strings.Cut(o.Field, ".")
			filled[field] = append(filled[field], o.Name)
			checkSecret(t, out, o)
		}
	}
	for _, r := range in.Rows {
		names.add(r.Field, r.At)
		checkSentence(t, r.At, r.Doc)
		checkGoType(t, r.At, r.Go)
		checkFilled(t, r, filled[r.Field])
		checkRange(t, r.At, r.Field, r.Min, r.Max)
		checkNotNegative(t, r.At, r.Field, r.Default)
		delete(filled, r.Field)
		f := ClientField{ClientOption: r}
		if r.Merge != "" {
			f.Merge = strings.TrimPrefix(r.Go, "*")
		}
		if r.Secret {
			out.Secret = append(out.Secret, r.Field)
		}
		out.Fields = append(out.Fields, f)
	}
	for _, o := range t.URI().Rows {
		field, _, _ := strings.Cut(o.Field, ".")
		if _, left := filled[field]; left && field != "" {
			t.Problemf(o.At, unknownField, o.Name, field)
		}
	}
	slices.Sort(out.Secret)
	slices.SortFunc(out.Fields, func(a, b ClientField) int { return strings.Compare(a.Field, b.Field) })
	return out
}

// checkSecret collects the fields that a secret option fills. If it fills a field inside a type, that field must be secret too.
func checkSecret(t *load.Tables, c *Client, o load.URIOption) {
	if !o.Secret {
		return
	}
	outer, inner, nested := strings.Cut(o.Field, ".")
	if !nested {
		c.Secret = append(c.Secret, outer)
		return
	}
	for _, file := range t.OptionTypes() {
		for _, typ := range file.Types {
			for _, f := range typ.Fields {
				if f.Field == inner && f.Secret {
					return
				}
			}
		}
	}
	t.Problemf(o.At, "%s is secret, the field %s is not", o.Name, o.Field)
}

func checkFilled(t *load.Tables, r load.ClientOption, by []string) {
	for _, name := range r.URI {
		if !slices.Contains(by, name) {
			t.Problemf(r.At, "%s says that %s fills it, which the table of URI options does not", r.Field, name)
		}
	}
	for _, name := range by {
		if !slices.Contains(r.URI, name) {
			t.Problemf(r.At, "%s is filled by %s, which the row does not say", r.Field, name)
		}
	}
}

// DefaultInt is the default of a field that counts something.
func (f ClientField) DefaultInt() (int, bool) {
	n, err := strconv.Atoi(f.Default)
	return n, err == nil
}
