package unified

import (
	"fmt"
	"strconv"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
)

// operator is a special operator. Unified Test Format, "Special Operators for Matching Assertions".
type operator interface {
	// match checks a value; the zero value is none at all.
	match(m matcher, got bson.RawValue, root bool, path string) error
}

// matcher compares values with what is expected. Unified Test Format, "Evaluating Matches".
type matcher struct {
	rows   bool // the elements of the outermost array are root-level documents
	loose  bool // documents may have more fields than expected, at every depth
	strict bool // numbers must be of the same type
}

func (m matcher) match(want any, got bson.RawValue, root bool, path string) error {
	switch want := want.(type) {
	case operator:
		return want.match(m, got, root, path)
	case bson.D:
		return m.matchDocument(want, got, root, path)
	case bson.A:
		return m.matchArray(want, got, path)
	case nil:
		if got.Type == bsontype.Null || got.IsZero() && path == "" { // an operation may return nothing for null
			return nil
		}
		return mismatch(path, got, want)
	case bson.CodeWithScope:
		return matchCodeWithScope(want, got, path)
	}
	if got.IsZero() || !m.equal(raw(want), got) {
		return mismatch(path, got, want)
	}
	return nil
}

func (m matcher) matchDocument(want bson.D, got bson.RawValue, root bool, path string) error {
	m.rows = false
	doc, ok := got.DocumentOK()
	if !ok {
		return mismatch(path, got, want)
	}
	for _, e := range want {
		if err := m.match(e.Value, doc.Lookup(e.Key), false, join(path, e.Key)); err != nil {
			return err
		}
	}
	if root || m.loose {
		return nil
	}
	for key := range doc.All() {
		if _, ok := want.Lookup(key); !ok {
			return fmt.Errorf("%s: the field is not expected", join(path, key))
		}
	}
	return nil
}

func (m matcher) matchArray(want bson.A, got bson.RawValue, path string) error {
	list, ok := got.ArrayOK()
	if !ok {
		return mismatch(path, got, want)
	}
	values, err := bson.Raw(list).Values()
	if err != nil {
		return err
	}
	if len(values) != len(want) {
		return fmt.Errorf("%s: got %d elements, want %d", pathOrWhole(path), len(values), len(want))
	}
	rows := m.rows
	m.rows = false
	for i, w := range want {
		if err := m.match(w, values[i], rows, join(path, strconv.Itoa(i))); err != nil {
			return err
		}
	}
	return nil
}

// matchExactly compares values and their types. The order of fields does not count.
func matchExactly(want any, got bson.RawValue) error {
	return matcher{strict: true}.match(want, got, false, "")
}

// matchCodeWithScope compares the scopes as documents, whose fields may come in another order.
func matchCodeWithScope(want bson.CodeWithScope, got bson.RawValue, path string) error {
	code, scope, ok := got.CodeWithScopeOK()
	if !ok || code != string(want.Code) {
		return mismatch(path, got, want)
	}
	return matchExactly(want.Scope, rawDocument(scope))
}

// equal compares values for which the expectation has neither a document nor an array. Unless the matcher is strict, numbers of
// different types are equal if their values are.
func (m matcher) equal(want, got bson.RawValue) bool {
	if !m.strict && isNumeric(want) && isNumeric(got) {
		if a, ok := want.AsInt64OK(); ok {
			if b, ok := got.AsInt64OK(); ok {
				return a == b
			}
		}
		a, _ := want.AsFloat64OK()
		b, _ := got.AsFloat64OK()
		return a == b || a != a && b != b
	}
	return want.Equal(got)
}

func isNumeric(v bson.RawValue) bool {
	return v.Type == bsontype.Int32 || v.Type == bsontype.Int64 || v.Type == bsontype.Double
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

func pathOrWhole(path string) string {
	if path == "" {
		return "the result"
	}
	return path
}

func mismatch(path string, got bson.RawValue, want any) error {
	return fmt.Errorf("%s: got %s, want %s", pathOrWhole(path), textOf(got), text(want))
}

func textOf(v bson.RawValue) string {
	if v.IsZero() {
		return "nothing"
	}
	return v.String()
}

// text shows an expected value.
func text(v any) string {
	switch v := v.(type) {
	case bson.D:
		out := "{"
		for i, e := range v {
			if i > 0 {
				out += ", "
			}
			out += strconv.Quote(e.Key) + ": " + text(e.Value)
		}
		return out + "}"
	case bson.A:
		out := "["
		for i, e := range v {
			if i > 0 {
				out += ", "
			}
			out += text(e)
		}
		return out + "]"
	case operator:
		return fmt.Sprintf("%T%v", v, v)
	case nil:
		return "null"
	}
	return raw(v).String()
}

func showActual(a actual) string {
	if a.text != nil {
		return fmt.Sprintf("%x", *a.text)
	}
	return textOf(a.value)
}
