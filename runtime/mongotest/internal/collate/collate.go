package collate

import (
	"bytes"
	"strings"
	"sync"

	"golang.org/x/text/collate"
	"golang.org/x/text/language"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/runtime/mongotest/internal/status"
)

// Collator compares strings; it may be used by several goroutines. nil is the binary order.
type Collator struct {
	spec bson.Raw
	pool sync.Pool
}

// state is one user's collator and buffers: the library's are not safe for concurrent use.
type state struct {
	collator *collate.Collator
	a, b     collate.Buffer
}

var fields = map[string]bsontype.Type{
	"locale": bsontype.String, "caseLevel": bsontype.Boolean, "caseFirst": bsontype.String, "strength": bsontype.Int32,
	"numericOrdering": bsontype.Boolean, "alternate": bsontype.String, "maxVariable": bsontype.String,
	"normalization": bsontype.Boolean, "backwards": bsontype.Boolean, "version": bsontype.String,
}

// New reads a collation document. An empty document and the locale "simple" give nil.
func New(spec bson.Raw) (*Collator, error) {
	if len(spec) <= 5 {
		return nil, nil
	}
	for key, v := range spec.All() {
		want, known := fields[key]
		if !known {
			return nil, status.Errorf(40415, "BSON field 'collation.%s' is an unknown field.", key)
		}
		if v.Type != want && want != bsontype.Int32 {
			return nil, status.Errorf(errcode.TypeMismatch, "BSON field 'collation.%s' is the wrong type '%s', expected type '%s'", key, v.Type, want)
		}
	}
	locale, ok := spec.Lookup("locale").StringOK()
	if !ok {
		return nil, status.Errorf(40414, "BSON field 'collation.locale' is missing but a required field")
	}
	if locale == "simple" {
		return nil, nil
	}
	tag, err := language.Parse(strings.ReplaceAll(locale, "_", "-"))
	if err != nil {
		return nil, status.Errorf(errcode.BadValue, "Field 'locale' is invalid in: %s", spec)
	}
	options, err := optionsOf(spec)
	if err != nil {
		return nil, err
	}
	c := &Collator{spec: spec}
	c.pool.New = func() any { return &state{collator: collate.New(tag, options...)} }
	return c, nil
}

func optionsOf(spec bson.Raw) ([]collate.Option, error) {
	strength := int64(3)
	if v := spec.Lookup("strength"); !v.IsZero() {
		n, ok := v.AsInt64OK()
		if !ok || n < 1 || n > 5 {
			return nil, status.Errorf(51024, "BSON field 'strength' value must be >= 1 and <= 5, actual value '%s'", v)
		}
		strength = n
	}
	caseLevel, _ := spec.Lookup("caseLevel").BooleanOK()
	var options []collate.Option
	if strength == 1 {
		options = append(options, collate.IgnoreDiacritics)
	}
	if strength <= 2 && !caseLevel {
		options = append(options, collate.IgnoreCase)
	}
	if numeric, _ := spec.Lookup("numericOrdering").BooleanOK(); numeric {
		options = append(options, collate.Numeric)
	}
	return options, nil
}

// Spec is the document that the collator was made from, nil for the binary order.
func (c *Collator) Spec() bson.Raw {
	if c == nil {
		return nil
	}
	return c.spec
}

// Compare orders two strings.
func (c *Collator) Compare(a, b string) int {
	if c == nil {
		return strings.Compare(a, b)
	}
	s := c.pool.Get().(*state)
	defer c.pool.Put(s)
	s.a.Reset()
	s.b.Reset()
	return bytes.Compare(s.collator.KeyFromString(&s.a, a), s.collator.KeyFromString(&s.b, b))
}

// AppendKey appends bytes that order as the strings do.
func (c *Collator) AppendKey(dst []byte, s string) []byte {
	if c == nil {
		return append(dst, s...)
	}
	st := c.pool.Get().(*state)
	defer c.pool.Put(st)
	st.a.Reset()
	return append(dst, st.collator.KeyFromString(&st.a, s)...)
}

// Same reports whether two collators order alike.
func Same(a, b *Collator) bool {
	if a == nil || b == nil {
		return a == b
	}
	for key := range fields {
		if key != "version" && !a.spec.Lookup(key).Equal(b.spec.Lookup(key)) {
			return false
		}
	}
	return true
}
