package encrypted_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/runtime/mongo/encrypted"
)

var (
	keyA = bson.UUID{0: 0xa}
	keys = map[string]bson.UUID{"a": keyA, "b": {0: 0xb}}
)

type address struct {
	Street string `bson:"street" encrypt:"random,key=b"`
	City   string
}

type patient struct {
	ID      bson.ObjectID `bson:"_id"`
	SSN     string        `bson:"ssn" encrypt:"deterministic,key=a"`
	Born    time.Time     `encrypt:"deterministic,key=0a000000-0000-0000-0000-000000000000"`
	Scan    []byte        `bson:"scan,omitempty" encrypt:"random,key=/owner"`
	Visits  []string      `bson:",omitempty" encrypt:"random,key=a"`
	Home    address       `bson:"home"`
	Office  *address      `bson:"office,omitempty"`
	Shared  inlined       `bson:",inline"`
	Count   int           `encrypt:"deterministic,key=a,type=long"`
	Nothing string        `bson:"-"`
}

type inlined struct {
	Blood string `bson:"blood" encrypt:"random, key=a"`
	Any   any    `bson:",omitempty" encrypt:"random,key=a"`
}

func TestTagsOfFieldLevelEncryption(t *testing.T) {
	s, err := encrypted.Of[*patient]()
	if err != nil {
		t.Fatal(err)
	}
	if got := s.Keys(); !slices.Equal(got, []string{"a", "b"}) {
		t.Errorf("the names of keys are %v", got)
	}
	got, err := s.JSONSchema(keys)
	if err != nil {
		t.Fatal(err)
	}
	encrypt := func(more ...any) bson.D { return bson.Doc("encrypt", bson.Doc(more...)) }
	const det, random = "AEAD_AES_256_CBC_HMAC_SHA_512-Deterministic", "AEAD_AES_256_CBC_HMAC_SHA_512-Random"
	ids := func(name string) bson.A { return bson.A{keys[name]} }
	street := bson.Doc("bsonType", "object", "properties", bson.Doc("street", encrypt("keyId", ids("b"), "bsonType", "string", "algorithm", random)))
	want := marshal(t, bson.Doc("bsonType", "object", "properties", bson.Doc(
		"ssn", encrypt("keyId", ids("a"), "bsonType", "string", "algorithm", det),
		"born", encrypt("keyId", ids("a"), "bsonType", "date", "algorithm", det),
		"scan", encrypt("keyId", "/owner", "bsonType", "binData", "algorithm", random),
		"visits", encrypt("keyId", ids("a"), "bsonType", "array", "algorithm", random),
		"home", street,
		"office", street,
		"blood", encrypt("keyId", ids("a"), "bsonType", "string", "algorithm", random),
		"any", encrypt("keyId", ids("a"), "algorithm", random),
		"count", encrypt("keyId", ids("a"), "bsonType", "long", "algorithm", det),
	)))
	if !slices.Equal(got, want) {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

type visit struct {
	Code  string               `bson:"code" encrypt:"equality,contention=4"`
	Cost  int64                `encrypt:"range,min=0,max=100000,sparsity=1,trimFactor=6,key=b"`
	Size  int32                `encrypt:"range,min=-5,max=5"`
	Rate  float64              `encrypt:"range,min=0,max=1.5,precision=2,contention=0"`
	Exact bson.Decimal128      `encrypt:"range"`
	At    time.Time            `encrypt:"range,min=2000-01-01,max=2100-01-01T12:00:00Z"`
	Name  string               `encrypt:"prefix,strMinQueryLength=2,strMaxQueryLength=10,caseSensitive=false;suffix,strMinQueryLength=3,strMaxQueryLength=4"`
	Note  string               `encrypt:"substringPreview,strMaxLength=60,strMinQueryLength=2,strMaxQueryLength=8,diacriticSensitive=false"`
	Ok    bool                 `encrypt:"equality,key=c"`
	Scan  struct{ Raw []byte } `encrypt:"unindexed"`
}

func TestTagsOfQueryableEncryption(t *testing.T) {
	s, err := encrypted.Of[visit]()
	if err != nil {
		t.Fatal(err)
	}
	got, err := s.EncryptedFields(keys)
	if err != nil {
		t.Fatal(err)
	}
	field := func(path, kind string, key bson.E, queries any) bson.D {
		d := bson.D{{Key: "path", Value: path}, {Key: "bsonType", Value: kind}, key}
		if queries != nil {
			d = append(d, bson.E{Key: "queries", Value: queries})
		}
		return d
	}
	none := bson.E{Key: "keyId"}
	text := func(name string, more ...any) bson.D {
		return append(bson.Doc("queryType", name), bson.Doc(more...)...)
	}
	want := marshal(t, bson.Doc("fields", bson.A{
		field("code", "string", none, bson.Doc("queryType", "equality", "contention", int64(4))),
		field("cost", "long", bson.E{Key: "keyId", Value: keys["b"]}, bson.Doc("queryType", "range", "min", int64(0), "max", int64(100000),
			"sparsity", int64(1), "trimFactor", int32(6))),
		field("size", "int", none, bson.Doc("queryType", "range", "min", int32(-5), "max", int32(5))),
		field("rate", "double", none, bson.Doc("queryType", "range", "contention", int64(0), "min", 0.0, "max", 1.5, "precision", int32(2))),
		field("exact", "decimal", none, bson.Doc("queryType", "range")),
		field("at", "date", none, bson.Doc("queryType", "range", "min", time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC),
			"max", time.Date(2100, 1, 1, 12, 0, 0, 0, time.UTC))),
		field("name", "string", none, bson.A{
			text("prefix", "strMinQueryLength", int32(2), "strMaxQueryLength", int32(10), "caseSensitive", false, "diacriticSensitive", true),
			text("suffix", "strMinQueryLength", int32(3), "strMaxQueryLength", int32(4), "caseSensitive", true, "diacriticSensitive", true),
		}),
		field("note", "string", none, text("substringPreview", "strMaxLength", int32(60), "strMinQueryLength", int32(2), "strMaxQueryLength", int32(8),
			"caseSensitive", true, "diacriticSensitive", false)),
		field("ok", "bool", bson.E{Key: "keyAltName", Value: "c"}, bson.Doc("queryType", "equality")),
		field("scan", "object", none, nil),
	}))
	if !slices.Equal(got, want) {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// The paths consist of the names that package bson gives the fields.
func TestPathsAreThoseOfBSON(t *testing.T) {
	s, err := encrypted.Of[patient]()
	if err != nil {
		t.Fatal(err)
	}
	doc := marshal(t, patient{Scan: []byte{1}, Visits: []string{""}, Office: &address{}, Shared: inlined{Any: 1}})
	for _, f := range s {
		v := doc.Lookup(strings.Split(f.Path, ".")...)
		if v.IsZero() {
			t.Errorf("%s has nothing at %s", doc, f.Path)
		} else if f.Type != "" && f.Type != v.Type.String() && f.Path != "count" {
			t.Errorf("%s is written as %s, not as %s", f.Path, v.Type, f.Type)
		}
	}
}

type node struct {
	Name string `bson:"name" encrypt:"random,key=a"`
	Next *node  `bson:",omitempty"`
}

type itself struct {
	Name string `encrypt:"random,key=a"`
}

func (itself) MarshalBSON() ([]byte, error) { return bson.Marshal(bson.D{}) }

type dotted struct {
	Name string `bson:"a.b" encrypt:"random,key=a"`
}

func TestTagsThatAreRefused(t *testing.T) {
	for _, c := range []struct {
		name string
		of   func() (encrypted.Schema, error)
		want []string
	}{
		{"not a struct", encrypted.Of[int], []string{"int is not a struct"}},
		{"no tag", encrypted.Of[struct{ A int }], []string{"no field", "give a field of the struct a tag"}},
		{"an unknown kind", encrypted.Of[struct {
			A string `encrypt:"determinstic"`
		}], []string{`.A ("a" in BSON)`, `"determinstic" is not one of deterministic`}},
		{"an empty tag", encrypted.Of[struct {
			A string `encrypt:""`
		}], []string{`"" is not one of`}},
		{"an unknown option", encrypted.Of[struct {
			A string `encrypt:"equality,keys=a"`
		}], []string{`the option "keys=a": there is no such option`}},
		{"an option without a value", encrypted.Of[struct {
			A string `encrypt:"equality,key"`
		}], []string{"write key=<value>"}},
		{"a search option of an algorithm", encrypted.Of[struct {
			A string `encrypt:"random,contention=1"`
		}], []string{"the algorithm takes only the options key and type"}},
		{"an option of texts for a range", encrypted.Of[struct {
			A int32 `encrypt:"range,strMaxLength=1"`
		}], []string{"belongs to prefix, suffix and substring"}},
		{"a number that is not one", encrypted.Of[struct {
			A string `encrypt:"equality,contention=many"`
		}], []string{`"contention=many"`}},
		{"a length below zero", encrypted.Of[struct {
			A string `encrypt:"prefix,strMinQueryLength=-1"`
		}], []string{`"strMinQueryLength=-1"`}},
		{"a bound that does not fit", encrypted.Of[struct {
			A int32 `encrypt:"range,min=0,max=99999999999"`
		}], []string{`"max=99999999999"`}},
		{"a bound of a date", encrypted.Of[struct {
			A time.Time `encrypt:"range,min=yesterday"`
		}], []string{"write a date as 2006-01-02"}},
		{"a bound of a text", encrypted.Of[struct {
			A string `encrypt:"range,min=a"`
		}], []string{"a range has numbers or dates"}},
		{"an algorithm with a query", encrypted.Of[struct {
			A string `encrypt:"random;equality"`
		}], []string{"only query types can be combined"}},
		{"an int", encrypted.Of[struct {
			A int `encrypt:"deterministic,key=a"`
		}], []string{"written as int or as long", "type=<BSON type>"}},
		{"a short long", encrypted.Of[struct {
			A int64 `bson:",minsize" encrypt:"deterministic,key=a"`
		}], []string{"without minsize"}},
		{"an interface", encrypted.Of[struct {
			A any `bson:",omitempty" encrypt:"equality"`
		}], []string{"several BSON types"}},
		{"a type that is not written", encrypted.Of[struct {
			A string `encrypt:"deterministic,key=a,type=int"`
		}], []string{"the type int in its tag, but a string is written as string"}},
		{"a pointer", encrypted.Of[struct {
			A *string `encrypt:"random,key=a"`
		}], []string{"written as null", "add omitempty"}},
		{"not exported", encrypted.Of[struct {
			a string `encrypt:"random,key=a"`
		}], []string{"is not written to BSON", "export it"}},
		{"not stored", encrypted.Of[struct {
			A string `bson:"-" encrypt:"random,key=a"`
		}], []string{"is not written to BSON"}},
		{"inlined", encrypted.Of[struct {
			A inlined `bson:",inline" encrypt:"random,key=a"`
		}], []string{"is inlined", "on the fields inside"}},
		{"in a list", encrypted.Of[struct {
			A []address
		}], []string{"is a slice", "on the whole field", "address.Street"}},
		{"in a map", encrypted.Of[struct{ A map[string]*address }], []string{"is a map"}},
		{"inside an encrypted field", encrypted.Of[struct {
			A address `encrypt:"random,key=a"`
		}], []string{"encrypted as a whole", "address.Street"}},
		{"in a type that contains itself", encrypted.Of[node], []string{`node.Next ("next" in BSON)`, "would never end"}},
		{"in a type that writes its own BSON", encrypted.Of[struct{ A itself }], []string{"writes its own BSON"}},
		{"a dot", encrypted.Of[dotted], []string{"a dot in its name"}},
		{"both kinds", encrypted.Of[struct {
			A string `encrypt:"random,key=a"`
			B string `encrypt:"equality"`
		}], []string{`.B ("b" in BSON) and "a" are for different kinds of encryption`}},
		{"twice", encrypted.Of[struct {
			A string `bson:"x" encrypt:"random,key=a"`
			B string `bson:"x" encrypt:"random,key=a"`
		}], []string{"encrypted twice"}},
		{"several mistakes at once", encrypted.Of[struct {
			A string `encrypt:"x"`
			B string `encrypt:"y"`
		}], []string{`"x" is not one`, `"y" is not one`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := c.of()
			if err == nil {
				t.Fatalf("the schema is %v", s)
			}
			for _, want := range c.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("got %q, want %q in it", err, want)
				}
			}
		})
	}
}

func marshal(t *testing.T, v any) bson.Raw {
	t.Helper()
	out, err := bson.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return out
}
