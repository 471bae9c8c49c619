package bson

import (
	"errors"
	"reflect"
	"testing"

	"github.com/specdrivers/onion/bson/internal/static"
)

// generated has methods like those that bsongen writes. They fill another field than reflection would, so that a test
// can tell which ran.
type generated struct {
	N     int32
	Quick bool `bson:"-"`
}

var errGenerated = errors.New("no n")

func (*generated) BSONStatic() static.Info {
	return static.Info{Type: reflect.TypeFor[generated](), Depth: 1}
}

func (g *generated) AppendBSON(dst []byte) ([]byte, error) {
	dst, start := AppendDocumentStart(dst)
	dst = AppendInt32Element(dst, "n", g.N)
	dst = AppendBooleanElement(dst, "quick", true)
	return AppendDocumentEnd(dst, start), nil
}

func (g *generated) DecodeBSON(doc Raw) error {
	n, ok := doc.Lookup("n").Int32OK()
	if !ok {
		return errGenerated
	}
	*g = generated{N: n, Quick: true}
	return nil
}

// Generated methods are called wherever the type appears, unless an option is set that they do not know.
func TestGeneratedMethodsAreCalled(t *testing.T) {
	type outer struct {
		A generated
		B []generated
		C *generated
	}
	in := outer{generated{N: 1}, []generated{{N: 2}}, &generated{N: 3}}
	doc, err := Marshal(&in)
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range [][]string{{"a", "quick"}, {"b", "0", "quick"}, {"c", "quick"}} {
		if quick, _ := Raw(doc).Lookup(path...).BooleanOK(); !quick {
			t.Errorf("%v was not encoded by the method", path)
		}
	}
	for name, o := range map[string]*UnmarshalOptions{"plain": nil, "with an option": {AllowTruncatingDoubles: true}} {
		var out outer
		if err := Unmarshal(doc, &out, o); err != nil {
			t.Fatal(err)
		}
		quick := o == nil
		want := outer{generated{1, quick}, []generated{{2, quick}}, &generated{3, quick}}
		if !reflect.DeepEqual(out, want) {
			t.Errorf("%s: %+v, want %+v", name, out, want)
		}
	}
	var alone generated
	if err := Unmarshal(doc, &alone); !errors.Is(err, errGenerated) {
		t.Errorf("the error of the method: %v", err)
	}
	var out outer
	err = Unmarshal(mustMarshal(t, Doc("a", Doc("n", "text"))), &out)
	if e, ok := errors.AsType[*DecodeError](err); !errors.Is(err, errGenerated) || ok && e.Path != "a" {
		t.Errorf("the error of the method in a field: %v", err)
	}
	if err := Unmarshal(mustMarshal(t, Doc("a", 5)), &out); err == nil || errors.Is(err, errGenerated) {
		t.Errorf("a number for a document: %v", err)
	}
}
