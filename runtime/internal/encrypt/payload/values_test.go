package payload

import (
	"bytes"
	"strings"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/bson/emitted/sealed"
	"github.com/specdrivers/onion/generated/core/encryption"
)

// number8 is the int32 8.
var number8 = bson.RawValue{Type: 0x10, Value: []byte{8, 0, 0, 0}}

// values returns one value of each kind, with every field set.
func values() map[string][]byte {
	set := encryption.TokenSet{EDC: sealed.Token{1}, ESC: sealed.Token{2}, Server: sealed.Token{3}, ECOC: []byte{4}}
	find := encryption.FindTokens{EDC: sealed.Token{1}, ESC: sealed.Token{2}, Server: sealed.Token{3}}
	affix, part := &encryption.Affix{Upper: 9, Lower: 1}, &encryption.Substring{MaxLength: 10, Upper: 9, Lower: 1}
	placeholder := encryption.Placeholder{Intent: encryption.IntentFind, Algorithm: encryption.AlgorithmRange, Value: number8, MaxContention: 1, Sparsity: new(int64(2))}
	insert := encryption.InsertUpdate{Type: 16, Value: []byte{5}, ECOC: []byte{6}, Edges: []encryption.TokenSet{set, set}, Sparsity: new(int64(2)), Precision: new(int32(1)),
		TrimFactor: new(int32(6)), Min: number8, Max: number8, Text: &encryption.TextTokens{Exact: set, Substrings: []encryption.TokenSet{set}, Suffixes: []encryption.TokenSet{}, Prefixes: []encryption.TokenSet{set}}}
	equality := encryption.FindEquality{MaxContention: 3}
	within := encryption.FindRange{Tokens: &encryption.RangeTokens{Edges: []encryption.FindTokens{find}, MaxContention: 4}, PayloadID: 7, FirstOperator: int32(encryption.OperatorGreater),
		SecondOperator: new(int32(encryption.OperatorLess)), Sparsity: new(int64(1)), Precision: new(int32(2)), TrimFactor: new(int32(0)), Min: number8, Max: number8}
	text := encryption.FindText{Tokens: encryption.TextFindTokens{Exact: &find, Substring: &find, Suffix: &find, Prefix: &find}, CaseFold: true, Substring: part, Suffix: affix, Prefix: affix}
	return map[string][]byte{
		"Placeholder": placeholder.Append(nil), "InsertUpdate": insert.Append(nil), "FindEquality": equality.Append(nil),
		"FindRange": within.Append(nil), "FindText": text.Append(nil),
	}
}

// rewriteValue reads a value and writes it again.
func rewriteValue(value []byte) ([]byte, error) {
	if len(value) == 0 {
		return nil, errMalformed
	}
	switch encryption.Payload(value[0]) {
	case encryption.FLE2EncryptionPlaceholder:
		p, err := encryption.ParsePlaceholder(value)
		return p.Append(nil), err
	case encryption.FLE2InsertUpdatePayloadV2:
		p, err := encryption.ParseInsertUpdate(value)
		return p.Append(nil), err
	case encryption.FLE2FindEqualityPayloadV2:
		p, err := encryption.ParseFindEquality(value)
		return p.Append(nil), err
	case encryption.FLE2FindRangePayloadV2:
		p, err := encryption.ParseFindRange(value)
		return p.Append(nil), err
	case encryption.FLE2FindTextPayload:
		p, err := encryption.ParseFindText(value)
		return p.Append(nil), err
	}
	return nil, errMalformed
}

func TestValuesAreReadAsTheyWereWritten(t *testing.T) {
	for name, value := range values() {
		if got, err := rewriteValue(value); err != nil || !bytes.Equal(got, value) {
			t.Errorf("%s: %v\n got %v\nwant %v", name, err, bson.Raw(got[1:]), bson.Raw(value[1:]))
		}
	}
}

func TestMalformedValuesAreRefused(t *testing.T) {
	with := func(fields ...any) []byte {
		doc, err := bson.Marshal(bson.Doc(fields...))
		if err != nil {
			t.Fatal(err)
		}
		return append([]byte{byte(encryption.FLE2FindEqualityPayloadV2)}, doc...)
	}
	token := bson.Binary{Data: make([]byte, 32)}
	for name, tt := range map[string]struct {
		value []byte
		want  string
	}{
		"nothing":                    {nil, "does not begin with byte 12"},
		"another kind":               {[]byte{13}, "does not begin with byte 12"},
		"not a document":             {[]byte{12, 1}, "the document of an encrypted value"},
		"a missing field":            {with("d", token, "s", token, "l", token), `FindEquality has no field "cm"`},
		"a field twice":              {with("d", token, "d", token), `"d" appears twice`},
		"an unknown field":           {with("x", 1), "it is unknown"},
		"a short token":              {with("d", bson.Binary{Data: make([]byte, 31)}), "it has the wrong type"},
		"a token of another subtype": {with("d", bson.Binary{Subtype: 5, Data: make([]byte, 32)}), "it has the wrong type"},
		"a number of another size":   {with("cm", int32(1)), "it has the wrong type"},
	} {
		if _, err := encryption.ParseFindEquality(tt.value); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// What can be read is written so that it reads the same.
func FuzzValues(f *testing.F) {
	for _, value := range values() {
		f.Add(value)
	}
	f.Fuzz(func(t *testing.T, value []byte) {
		first, err := rewriteValue(value)
		if err != nil {
			return
		}
		if second, err := rewriteValue(first); err != nil || !bytes.Equal(first, second) {
			t.Errorf("%x becomes %x, %v", first, second, err)
		}
	})
}

// A stored value that can be read is written as it was.
func FuzzStored(f *testing.F) {
	s := sealed.Stored[encryption.Payload]{Kind: encryption.FLE2IndexedTextEncryptedValue, Ciphertext: make([]byte, 40), Substrings: 1}
	for range 2 {
		s.AddBlock(sealed.Token{1}, sealed.Token{5}, sealed.Token{2}, 3, 4, [2][sealed.IVSize]byte{})
	}
	f.Add(s.Append(nil))
	f.Fuzz(func(t *testing.T, value []byte) {
		s, err := sealed.ParseStored[encryption.Payload](value)
		if err == nil && !bytes.Equal(s.Append(nil), value) {
			t.Errorf("%x becomes %x", value, s.Append(nil))
		}
	})
}
