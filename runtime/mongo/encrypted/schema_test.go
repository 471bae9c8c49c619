package encrypted_test

import (
	"strings"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo/encrypted"
)

func TestJSONSchemaRefuses(t *testing.T) {
	const det, random = options.AlgorithmDeterministic, options.AlgorithmRandom
	for _, c := range []struct {
		name   string
		schema encrypted.Schema
		want   string
	}{
		{"nothing", nil, "the schema has no field"},
		{"no key", encrypted.Schema{{Path: "x", Algorithm: random}}, `the field "x" names no data key: set Key`},
		{"an unknown key", encrypted.Schema{{Path: "x", Algorithm: random, Key: "other"}}, "CreateDataKey"},
		{"an unknown algorithm", encrypted.Schema{{Path: "x", Algorithm: "AES", Key: "a"}}, `the unknown algorithm "AES"`},
		{"no type", encrypted.Schema{{Path: "x", Algorithm: det, Key: "a"}}, "has no BSON type, which deterministic encryption needs: set Type"},
		{"a type that deterministic encryption does not take", encrypted.Schema{{Path: "x", Algorithm: det, Key: "a", Type: "double"}},
			"Cannot encrypt element of type: double"},
		{"a key of the document", encrypted.Schema{{Path: "x", Type: "string", Algorithm: det, Key: "/y"}}, "use random, or name the key itself"},
		{"Queryable Encryption", encrypted.Schema{{Path: "x", Type: "string", Queries: []encrypted.Query{{Type: "equality"}}}}, "use EncryptedFields"},
		{"no path", encrypted.Schema{{Path: "a..b", Algorithm: random, Key: "a"}}, "empty name"},
		{"an encrypted field below another", encrypted.Schema{{Path: "a", Algorithm: random, Key: "a"}, {Path: "a.b", Algorithm: random, Key: "a"}}, "encrypted twice"},
		{"an encrypted field above another", encrypted.Schema{{Path: "a.b", Algorithm: random, Key: "a"}, {Path: "a", Algorithm: random, Key: "a"}}, "encrypted twice"},
		{"a random _id", encrypted.Schema{{Path: "_id", Algorithm: random, Key: "a"}}, "_id can be encrypted only deterministically"},
	} {
		t.Run(c.name, func(t *testing.T) { wantError(t, c.want)(c.schema.JSONSchema(keys)) })
	}
}

func TestEncryptedFieldsRefuses(t *testing.T) {
	queries := func(q ...encrypted.Query) []encrypted.Query { return q }
	equality := encrypted.Query{Type: options.QueryTypeEquality}
	for _, c := range []struct {
		name   string
		schema encrypted.Schema
		want   string
	}{
		{"nothing", nil, "the schema has no field"},
		{"field level encryption", encrypted.Schema{{Path: "x", Algorithm: options.AlgorithmRandom, Key: "a"}}, "use JSONSchema"},
		{"no type", encrypted.Schema{{Path: "x", Queries: queries(equality)}}, "has no BSON type, which a search needs: set Type"},
		{"a key twice", encrypted.Schema{{Path: "x", Key: "a"}, {Path: "y", Key: "a"}}, `the field "y" has the data key of "x"`},
		{"a key of the document", encrypted.Schema{{Path: "x", Key: "/y"}}, "name the key itself, or none"},
		{"an algorithm and a query", encrypted.Schema{{Path: "x", Type: "string", Algorithm: "Unindexed", Queries: queries(equality)}}, "leave Algorithm empty"},
		{"a type that equality does not take", encrypted.Schema{{Path: "x", Type: "double", Queries: queries(equality)}}, "Cannot encrypt element of type: double"},
		{"an unknown type", encrypted.Schema{{Path: "x", Type: "int32", Queries: queries(equality)}}, `the unknown BSON type "int32"`},
		{"an unknown query", encrypted.Schema{{Path: "x", Type: "string", Queries: queries(encrypted.Query{Type: "regex"})}}, `the query type "regex"`},
		{"two queries", encrypted.Schema{{Path: "x", Type: "int", Queries: queries(equality, encrypted.Query{Type: "range"})}}, "cannot be combined"},
		{"a bound of another type", encrypted.Schema{{Path: "x", Type: "int", Queries: queries(encrypted.Query{Type: "range", Min: "a", Max: 2})}},
			"the bound min of the type string"},
		{"a bound that is too large", encrypted.Schema{{Path: "x", Type: "int", Queries: queries(encrypted.Query{Type: "range", Min: 0, Max: int64(1) << 40})}},
			"the bound max of the type long"},
		{"a bound that is nothing", encrypted.Schema{{Path: "x", Type: "int", Queries: queries(encrypted.Query{Type: "range", Min: func() {}, Max: 1})}},
			"cannot be written"},
	} {
		t.Run(c.name, func(t *testing.T) { wantError(t, c.want)(c.schema.EncryptedFields(keys)) })
	}
}

func wantError(t *testing.T, want string) func(bson.Raw, error) {
	return func(got bson.Raw, err error) {
		t.Helper()
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %s, %v; want %q", got, err, want)
		}
	}
}

// A bound that is a Go integer takes the type of the field.
func TestBoundsTakeTheTypeOfTheField(t *testing.T) {
	for _, kind := range []string{"int", "long", "double"} {
		q := encrypted.Query{Type: "range", Min: 1, Max: int64(2)}
		if kind == "double" {
			q.Precision = new(int32(1))
		}
		got, err := encrypted.Schema{{Path: "x", Type: kind, Queries: []encrypted.Query{q}}}.EncryptedFields(nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, bound := range []string{"min", "max"} {
			if v := got.Lookup("fields", "0", "queries", bound); v.Type.String() != kind {
				t.Errorf("%s of %s is a %s", bound, kind, v.Type)
			}
		}
	}
}
