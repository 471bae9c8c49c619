package bson

import (
	"errors"
	"fmt"

	"github.com/specdrivers/onion/generated/bsontype"
)

// D is a document that keeps the order of its elements. Duplicate keys are kept too.
//
//	bson.D{{Key: "name", Value: "Ada"}, {Key: "age", Value: 36}}
type D []E

// E is one element of a [D].
type E struct {
	Key   string
	Value any
}

// M is a document whose order does not matter.
type M map[string]any

// A is an array.
type A []any

// Doc builds a [D] from alternating keys and values: Doc("name", "Ada", "age", 36).
//
// Doc cannot report a key that is not a string or that has no value. Marshaling the document reports it.
func Doc(kv ...any) D {
	d := make(D, 0, (len(kv)+1)/2)
	for i := 0; i < len(kv); i += 2 {
		key, ok := kv[i].(string)
		switch {
		case !ok:
			d = append(d, E{Value: invalidValue{fmt.Errorf("argument %d of Doc is a %T, want a string key", i, kv[i])}})
		case i+1 == len(kv):
			d = append(d, E{Key: key, Value: invalidValue{errors.New("the last key of Doc has no value")}})
		default:
			d = append(d, E{Key: key, Value: kv[i+1]})
		}
	}
	return d
}

// invalidValue carries a mistake in building a document to the place where it can be reported.
type invalidValue struct{ err error }

// AppendBSONValue implements [ValueAppender]; it always fails.
func (v invalidValue) AppendBSONValue(dst []byte) (bsontype.Type, []byte, error) {
	return 0, dst, v.err
}

// Lookup returns the value of the first element named key, and whether there is one.
func (d D) Lookup(key string) (any, bool) {
	for i := range d {
		if d[i].Key == key {
			return d[i].Value, true
		}
	}
	return nil, false
}

// DefaultMaxDepth is how deeply documents and arrays may be nested unless the options say otherwise. The server's own
// limit is 180.
const DefaultMaxDepth = 1000
