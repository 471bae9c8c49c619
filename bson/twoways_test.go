package bson_test

import (
	"strings"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
)

// textOrDocument encodes as text where a value is wanted, and as a document that holds it where a document is wanted.
type textOrDocument struct{ text string }

func (w textOrDocument) MarshalBSON() ([]byte, error) { return bson.Marshal(bson.Doc("data", w.text)) }

func (w textOrDocument) MarshalBSONValue() (byte, []byte, error) {
	t, data, err := bson.AppendValue(nil, w.text)
	return byte(t), data, err
}

func (w *textOrDocument) UnmarshalBSON(data []byte) error {
	var document struct{ Data string }
	err := bson.Unmarshal(data, &document)
	w.text = document.Data
	return err
}

func (w *textOrDocument) UnmarshalBSONValue(typ byte, data []byte) error {
	return bson.RawValue{Type: bsontype.Type(typ), Value: data}.Unmarshal(&w.text)
}

// As in the official driver, MarshalBSON is called at the top and MarshalBSONValue inside.
func TestMarshalerAtTheTopValueMarshalerInside(t *testing.T) {
	for name, v := range map[string]any{"value": textOrDocument{"a"}, "pointer": &textOrDocument{"a"}} {
		t.Run(name, func(t *testing.T) {
			raw, err := bson.Marshal(v)
			if err != nil || raw.String() != `{"data":"a"}` {
				t.Fatal(raw, err)
			}
			var back textOrDocument
			if err := bson.Unmarshal(raw, &back); err != nil || back.text != "a" {
				t.Error(back, err)
			}
			inside, err := bson.Marshal(bson.Doc("field", v))
			if err != nil || inside.String() != `{"field":"a"}` {
				t.Error(inside, err)
			}
			var outer struct{ Field textOrDocument }
			if err := bson.Unmarshal(inside, &outer); err != nil || outer.Field.text != "a" {
				t.Error(outer, err)
			}
		})
	}
	if _, err := bson.Marshal((*textOrDocument)(nil)); err == nil {
		t.Error("a nil pointer encodes")
	}
	if err := bson.Unmarshal(bson.EmptyDocument(), (*textOrDocument)(nil)); err == nil || !strings.Contains(err.Error(), "cannot decode into a nil") {
		t.Errorf("a nil pointer decodes: %v", err)
	}
	if err := bson.Unmarshal([]byte{5, 0, 0, 0}, new(textOrDocument)); err == nil {
		t.Error("half a document decodes")
	}
}

// A codec of the caller comes before both.
func TestCodecComesBeforeAllMethods(t *testing.T) {
	codec := bson.NewCodec(
		func(w textOrDocument) (bson.D, error) { return bson.Doc("codec", w.text), nil },
		func(d bson.D) (textOrDocument, error) { return textOrDocument{d[0].Value.(string) + " by codec"}, nil },
	)
	codecs, err := bson.NewCodecs(codec)
	if err != nil {
		t.Fatal(err)
	}
	for name, v := range map[string]any{"value": textOrDocument{"a"}, "pointer": &textOrDocument{"a"}} {
		raw, err := bson.Marshal(v, &bson.MarshalOptions{Codecs: codecs})
		if err != nil || raw.String() != `{"codec":"a"}` {
			t.Errorf("%s: %v, %v", name, raw, err)
		}
	}
	var back textOrDocument
	raw, _ := bson.Marshal(bson.Doc("codec", "a"))
	if err := bson.Unmarshal(raw, &back, &bson.UnmarshalOptions{Codecs: codecs}); err != nil || back.text != "a by codec" {
		t.Errorf("%q, %v", back.text, err)
	}
}
