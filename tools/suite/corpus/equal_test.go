package corpus

import (
	"math"
	"testing"

	"github.com/specdrivers/onion/bson"
)

func TestSameJSON(t *testing.T) {
	tests := map[string]struct {
		a, b string
		want bool
	}{
		"spaces":                   {`{"a": 1}`, `{"a":1}`, true},
		"escapes":                  {`"\u00e9\/"`, `"é/"`, true},
		"spelling of a double":     {`1.2E+3`, `1200.0`, true},
		"spelling in a wrapper":    {`{"$numberDouble": "1.50"}`, `{"$numberDouble":"1.5"}`, true},
		"other strings stay":       {`{"a": "1.50"}`, `{"a":"1.5"}`, false},
		"an integer is no double":  {`1`, `1.0`, false},
		"a number is no string":    {`1`, `"1"`, false},
		"order counts":             {`{"a":1,"b":2}`, `{"b":2,"a":1}`, false},
		"another value":            {`{"a":true}`, `{"a":false}`, false},
		"one key more":             {`{"a":1}`, `{"a":1,"b":2}`, false},
		"no JSON":                  {`{`, `{`, false},
		"not a number in a double": {`{"$numberDouble":"NaN"}`, `{"$numberDouble":"Infinity"}`, false},
	}
	for name, tt := range tests {
		if got := sameJSON(tt.a, tt.b); got != tt.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestEqual(t *testing.T) {
	tests := map[string]struct {
		a, b any
		want bool
	}{
		"NaN":                {math.NaN(), math.NaN(), true},
		"zeros":              {0.0, math.Copysign(0, -1), false},
		"sizes of integers":  {int32(1), int64(1), false},
		"empty binary":       {bson.Binary{Data: nil}, bson.Binary{Data: []byte{}}, true},
		"subtypes":           {bson.Binary{Subtype: 1}, bson.Binary{}, false},
		"nested":             {bson.Doc("a", bson.A{bson.Doc("b", 1.0)}), bson.Doc("a", bson.A{bson.Doc("b", 1.0)}), true},
		"another key":        {bson.Doc("a", 1), bson.Doc("b", 1), false},
		"a shorter array":    {bson.A{1}, bson.A{1, 2}, false},
		"a document, a list": {bson.D{}, bson.A{}, false},
		"scopes":             {bson.CodeWithScope{Scope: bson.D{}}, bson.CodeWithScope{Scope: bson.Doc("a", 1)}, false},
	}
	for name, tt := range tests {
		if got := equal(tt.a, tt.b); got != tt.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
