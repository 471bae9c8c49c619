package corpus

import (
	"encoding/json"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/tools/suite"
)

// DecodeError checks that BSON is refused, by the validator and by the decoder.
func DecodeError(t *testing.T, digits string) {
	t.Helper()
	data := suite.Bytes(digits)
	if err := bson.Raw(data).Validate(); err == nil {
		t.Error("the BSON is found valid")
	}
	var native bson.D
	if err := bson.Unmarshal(data, &native); err == nil {
		t.Errorf("unmarshaled %v, want an error", native)
	}
}

// ParseError checks that text is JSON, and that it is refused as extended JSON in both formats.
func ParseError(t *testing.T, text string) {
	t.Helper()
	if !json.Valid([]byte(text)) {
		t.Errorf("the case tests nothing: %s is not even JSON", text)
	}
	for _, canonical := range []bool{true, false} {
		if raw, err := bson.ExtJSONToRaw([]byte(text), canonical); err == nil {
			t.Errorf("parsed to %v (canonical %v), want an error", raw, canonical)
		}
		var native bson.D
		if err := bson.UnmarshalExtJSON([]byte(text), canonical, &native); err == nil {
			t.Errorf("unmarshaled to %v (canonical %v), want an error", native, canonical)
		}
	}
}

// DecimalError checks that text is no decimal number.
func DecimalError(t *testing.T, text string) {
	t.Helper()
	if d, err := bson.ParseDecimal128(text); err == nil {
		t.Errorf("parsed to %v, want an error", d)
	}
}
