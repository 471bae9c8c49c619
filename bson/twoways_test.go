package bson_test

import (
	"strings"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
)

// twoWays is a text as a value, and a document around it where a document is wanted.
type twoWays struct{ text string }

func (w twoWays) MarshalBSON() ([]byte, error) { return bson.Marshal(bson.Doc("data", w.text)) }

func (w twoWays) MarshalBSONValue() (byte, []byte, error) {
	t, data, err := bson.AppendValue(nil, w.text)
	return byte(t), data, err
}

func (w *twoWays) UnmarshalBSON(data []byte) error {
	var document struct{ Data string }
	err := bson.Unmarshal(data, &document)
	w.text = document.Data
	return err
}

func (w *twoWays) UnmarshalBSONValue(typ byte, data []byte) error {
	return bson.RawValue{Type: bsontype.Type(typ), Value: data}.Unmarshal(&w.text)
}

// TestTwoWays encodes a type that is both a Marshaler and a ValueMarshaler, as the official driver does: as a document
// at the top and as a value inside.
func TestTwoWays(t *testing.T) {
	for name, v := range map[string]any{"value": twoWays{"a"}, "pointer": &twoWays{"a"}} {
		t.Run(name, func(t *testing.T) {
			raw, err := bson.Marshal(v)
			if err != nil || raw.String() != `{"data":"a"}` {
				t.Fatal(raw, err)
			}
			var back twoWays
			if err := bson.Unmarshal(raw, &back); err != nil || back.text != "a" {
				t.Error(back, err)
			}
			inside, err := bson.Marshal(bson.Doc("field", v))
			if err != nil || inside.String() != `{"field":"a"}` {
				t.Error(inside, err)
			}
			var outer struct{ Field twoWays }
			if err := bson.Unmarshal(inside, &outer); err != nil || outer.Field.text != "a" {
				t.Error(outer, err)
			}
		})
	}
	if _, err := bson.Marshal((*twoWays)(nil)); err == nil {
		t.Error("a nil pointer encodes")
	}
	if err := bson.Unmarshal(bson.EmptyDocument(), (*twoWays)(nil)); err == nil || !strings.Contains(err.Error(), "cannot decode into a nil") {
		t.Errorf("a nil pointer decodes: %v", err)
	}
	if err := bson.Unmarshal([]byte{5, 0, 0, 0}, new(twoWays)); err == nil {
		t.Error("half a document decodes")
	}
}

// TestTwoWaysWithARule lets a rule of the caller come before all methods.
func TestTwoWaysWithARule(t *testing.T) {
	rule := bson.NewCodec(
		func(w twoWays) (bson.D, error) { return bson.Doc("rule", w.text), nil },
		func(d bson.D) (twoWays, error) { return twoWays{d[0].Value.(string) + " by rule"}, nil },
	)
	codecs, err := bson.NewCodecs(rule)
	if err != nil {
		t.Fatal(err)
	}
	for name, v := range map[string]any{"value": twoWays{"a"}, "pointer": &twoWays{"a"}} {
		raw, err := bson.Marshal(v, &bson.MarshalOptions{Codecs: codecs})
		if err != nil || raw.String() != `{"rule":"a"}` {
			t.Errorf("%s: %v, %v", name, raw, err)
		}
	}
	var back twoWays
	raw, _ := bson.Marshal(bson.Doc("rule", "a"))
	if err := bson.Unmarshal(raw, &back, &bson.UnmarshalOptions{Codecs: codecs}); err != nil || back.text != "a by rule" {
		t.Errorf("%q, %v", back.text, err)
	}
}
