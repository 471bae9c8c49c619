package corpus

import (
	"encoding/json"
	"errors"
	"io"
	"math"
	"reflect"
	"strconv"
	"strings"

	"github.com/specdrivers/onion/bson"
)

// equal compares Go values of documents. NaN equals itself, and the zeros differ.
func equal(a, b any) bool {
	switch a := a.(type) {
	case bson.D:
		b, ok := b.(bson.D)
		if !ok || len(a) != len(b) {
			return false
		}
		for i := range a {
			if a[i].Key != b[i].Key || !equal(a[i].Value, b[i].Value) {
				return false
			}
		}
		return true
	case bson.A:
		b, ok := b.(bson.A)
		if !ok || len(a) != len(b) {
			return false
		}
		for i := range a {
			if !equal(a[i], b[i]) {
				return false
			}
		}
		return true
	case float64:
		b, ok := b.(float64)
		return ok && (math.Float64bits(a) == math.Float64bits(b) || a != a && b != b)
	case bson.Binary:
		b, ok := b.(bson.Binary)
		return ok && a.Subtype == b.Subtype && string(a.Data) == string(b.Data)
	case bson.CodeWithScope:
		b, ok := b.(bson.CodeWithScope)
		return ok && a.Code == b.Code && equal(a.Scope, b.Scope)
	}
	return reflect.DeepEqual(a, b)
}

// sameJSON compares two texts of extended JSON. Spaces, escapes and the spelling of a double do not count; the order
// of keys does.
func sameJSON(a, b string) bool {
	as, errA := tokens(a)
	bs, errB := tokens(b)
	return errA == nil && errB == nil && reflect.DeepEqual(as, bs)
}

// tokens lists the tokens of a JSON text. Numbers, and the strings of $numberDouble, are spelled in one way.
func tokens(text string) ([]any, error) {
	if !json.Valid([]byte(text)) {
		return nil, errors.New("not JSON") // the decoder takes the end of the text for the end of the value
	}
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var out []any
	for {
		tok, err := d.Token()
		if errors.Is(err, io.EOF) {
			return out, nil
		} else if err != nil {
			return nil, err
		}
		switch v := tok.(type) {
		case json.Number:
			tok = number(v.String())
		case string:
			if len(out) > 0 && out[len(out)-1] == "$numberDouble" {
				tok = number(v)
			}
		}
		out = append(out, tok)
	}
}

// spelledNumber is a number in its only spelling: a type of its own never equals a string.
type spelledNumber string

// number distinguishes an integer from a double: 1 and 1.0 mean different types.
func number(text string) spelledNumber {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || !strings.ContainsAny(text, ".eE") {
		return spelledNumber(text)
	}
	return spelledNumber(strconv.FormatFloat(v, 'e', -1, 64))
}
