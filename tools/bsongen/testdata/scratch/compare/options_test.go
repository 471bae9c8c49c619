package compare

import (
	"bytes"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"

	"example.com/scratch/plain"
	"example.com/scratch/shop"
)

// variants returns a value of an options struct for each of its fields, with that field set. A field of a type that this
// does not know fails the test: every option has to be in the matrix.
func variants[T any](t *testing.T) map[string]*T {
	codecs, err := bson.NewCodecs(bson.JSONTags(),
		bson.NewCodec(func(t time.Time) (string, error) { return t.UTC().Format(time.RFC3339Nano), nil },
			func(s string) (time.Time, error) { return time.Parse(time.RFC3339Nano, s) }),
		bson.AnyAs[int64](bsontype.Int32))
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]*T{"none": nil, "zero": new(T)}
	typ := reflect.TypeFor[T]()
	for i := range typ.NumField() {
		v := new(T)
		f := reflect.ValueOf(v).Elem().Field(i)
		switch f.Interface().(type) {
		case bool:
			f.SetBool(true)
		case int:
			f.SetInt(3)
		case bson.DocumentType:
			f.Set(reflect.ValueOf(bson.DocumentM))
		case *bson.Codecs:
			f.Set(reflect.ValueOf(codecs))
		default:
			t.Fatalf("how is the option %s set?", typ.Field(i).Name)
		}
		out[typ.Field(i).Name] = v
	}
	return out
}

// places put a value where each path of the encoder meets it.
var places = map[string]func(v any) any{
	"itself":    func(v any) any { return v },
	"value":     func(v any) any { return bson.D{{Key: "v", Value: reflect.ValueOf(v).Elem().Interface()}} },
	"in a D":    func(v any) any { return bson.D{{Key: "v", Value: v}} },
	"in an M":   func(v any) any { return bson.M{"v": v} },
	"in an A":   func(v any) any { return bson.D{{Key: "v", Value: bson.A{v}}} },
	"in an any": func(v any) any { return struct{ V any }{v} },
	"in a field": func(v any) any {
		return in("struct", v, func(t reflect.Type) reflect.Type {
			return reflect.StructOf([]reflect.StructField{{Name: "V", Type: t}})
		})
	},
	"in a field with minsize and truncate": func(v any) any {
		return in("struct", v, func(t reflect.Type) reflect.Type {
			return reflect.StructOf([]reflect.StructField{{Name: "V", Type: t, Tag: `bson:",minsize,truncate"`}})
		})
	},
	"in a slice": func(v any) any {
		return in("slice", v, func(t reflect.Type) reflect.Type {
			return reflect.StructOf([]reflect.StructField{{Name: "V", Type: reflect.SliceOf(t)}})
		})
	},
	"in a map": func(v any) any {
		return in("map", v, func(t reflect.Type) reflect.Type { return reflect.MapOf(reflect.TypeFor[string](), t) })
	},
}

// in returns a pointer to a value of the type that container returns, with v inside.
func in(kind string, v any, container func(reflect.Type) reflect.Type) any {
	elem := reflect.ValueOf(v).Elem()
	out := reflect.New(container(elem.Type()))
	switch kind {
	case "struct":
		out.Elem().Field(0).Set(elem)
	case "slice":
		out.Elem().Field(0).Set(reflect.Append(out.Elem().Field(0), elem))
	case "map":
		out.Elem().Set(reflect.MakeMap(out.Elem().Type()))
		out.Elem().SetMapIndex(reflect.ValueOf("v"), elem)
	}
	return out.Interface()
}

func TestEveryOptionOnEveryPath(t *testing.T) {
	marshal, unmarshal := variants[bson.MarshalOptions](t), variants[bson.UnmarshalOptions](t)
	for _, p := range pairs {
		for place, put := range places {
			t.Run(p.name+" "+place, func(t *testing.T) {
				for seed := range uint64(25) {
					a, b := p.shop(), p.plain()
					fill(rand.New(rand.NewPCG(seed, 1)), reflect.ValueOf(a).Elem(), 0)
					fill(rand.New(rand.NewPCG(seed, 1)), reflect.ValueOf(b).Elem(), 0)
					x, y := put(a), put(b)
					for name, o := range marshal {
						compareMarshal(t, name, x, y, o)
					}
					doc, err := bson.Marshal(y)
					if err != nil {
						t.Fatal(err)
					}
					for name, o := range unmarshal {
						compareUnmarshal(t, name, doc, x, y, o)
					}
				}
			})
		}
	}
}

func compareMarshal(t *testing.T, option string, a, b any, o *bson.MarshalOptions) {
	t.Helper()
	want, errB := bson.Marshal(b, o)
	got, errA := bson.Marshal(a, o)
	if plainText(errA) != plainText(errB) || errA == nil && !bytes.Equal(got, want) && !same(got, want) {
		t.Fatalf("%s: %v, %v\ngenerated  %s\nreflection %s", option, errA, errB, got, want)
	}
}

func compareUnmarshal(t *testing.T, option string, doc bson.Raw, a, b any, o *bson.UnmarshalOptions) {
	t.Helper()
	x, y := fresh(a), fresh(b)
	errB := bson.Unmarshal(doc, y, o)
	errA := bson.Unmarshal(doc, x, o)
	if plainText(errA) != plainText(errB) {
		t.Fatalf("%s: generated: %v, reflection: %v", option, errA, errB)
	}
	if errA != nil {
		return
	}
	outB, errB := bson.Marshal(y)
	outA, errA := bson.Marshal(x)
	if plainText(errA) != plainText(errB) || errA == nil && !same(outA, outB) {
		t.Fatalf("%s: %v, %v\ngenerated  %s\nreflection %s", option, errA, errB, outA, outB)
	}
	if at, bt := times(reflect.ValueOf(x)), times(reflect.ValueOf(y)); !reflect.DeepEqual(at, bt) {
		t.Fatalf("%s: times %v and %v", option, at, bt)
	}
}

// fresh returns a pointer to a new value of the type of v, which is or points to a document.
func fresh(v any) any {
	t := reflect.TypeOf(v)
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return reflect.New(t).Interface()
}

// times collects the times in a value, with their zones, which the BSON does not show.
func times(v reflect.Value) (out []string) {
	if t, ok := v.Interface().(time.Time); ok {
		return []string{t.Format(time.RFC3339Nano) + t.Location().String()}
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() && v.Elem().Type().PkgPath() != "math/big" {
			return times(v.Elem())
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			out = append(out, times(v.Index(i))...)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				out = append(out, times(v.Field(i))...)
			}
		}
	}
	return out
}

// plainText is the text of an error without the name of the package, and without the place in the bytes.
func plainText(err error) string {
	return strings.ReplaceAll(errString(err), "shop.", "plain.")
}

// The limit of nesting counts from the outermost document, whoever decodes what is inside.
func TestDepthCountsFromOutside(t *testing.T) {
	deep := func(levels int) (*shop.Tree, *plain.Tree) {
		a, b := new(shop.Tree), new(plain.Tree)
		for range levels - 1 {
			a, b = &shop.Tree{Left: a}, &plain.Tree{Left: b}
		}
		return a, b
	}
	for _, levels := range []int{1, 990, 996, 997, 998, 999, 1000, 1001} {
		a, b := deep(levels)
		for place, put := range places {
			compareMarshal(t, place, put(a), put(b), nil)
			dst, start := bson.AppendDocumentStart(nil)
			doc := bson.Raw(bson.AppendDocumentEnd(dst, start))
			for range levels - 1 {
				dst, start := bson.AppendDocumentStart(nil)
				doc = bson.AppendDocumentEnd(bson.AppendDocumentElement(dst, "left", doc), start)
			}
			compareUnmarshal(t, place, doc, put(new(shop.Tree)), put(new(plain.Tree)), nil)
		}
	}
}
