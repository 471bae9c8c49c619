package corpus

import (
	"bytes"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/tools/suite"
)

// Case is a document that a case of the corpus writes down in several forms.
type Case struct {
	t         *testing.T
	canonical []byte // its canonical BSON
	extended  string // its canonical extended JSON, once it is known
	lossy     bool
}

// Valid starts a case with its canonical BSON: it must be valid, and come back from Go values unchanged.
func Valid(t *testing.T, canonical string) *Case {
	t.Helper()
	c := &Case{t: t, canonical: suite.Bytes(canonical)}
	if err := bson.Raw(c.canonical).Validate(); err != nil {
		t.Errorf("the canonical BSON is not valid: %v", err)
	}
	c.roundTrip("the canonical BSON", c.canonical)
	touch(c.canonical)
	return c
}

// ValidLossy is Valid for a document that extended JSON cannot hold exactly.
func ValidLossy(t *testing.T, canonical string) *Case {
	t.Helper()
	c := Valid(t, canonical)
	c.lossy = true
	return c
}

// roundTrip checks that BSON becomes the canonical BSON on its way through Go values.
func (c *Case) roundTrip(what string, data []byte) {
	c.t.Helper()
	var native bson.D
	if err := bson.Unmarshal(data, &native); err != nil {
		c.t.Errorf("unmarshal %s: %v", what, err)
		return
	}
	again, err := bson.Marshal(native)
	if err != nil {
		c.t.Errorf("marshal %s again: %v", what, err)
	} else if !bytes.Equal(again, c.canonical) {
		c.t.Errorf("%s came back as %X, want %X", what, []byte(again), c.canonical)
	}
}

// Means checks that the canonical BSON holds these Go values, in both directions.
func (c *Case) Means(want bson.D) {
	c.t.Helper()
	data, err := bson.Marshal(want)
	if err != nil {
		c.t.Errorf("marshal %v: %v", want, err)
	} else if !bytes.Equal(data, c.canonical) {
		c.t.Errorf("%v marshaled to %X, want %X", want, []byte(data), c.canonical)
	}
	var got bson.D
	if err := bson.Unmarshal(c.canonical, &got); err != nil {
		c.t.Errorf("unmarshal: %v", err)
	} else if !equal(got, want) {
		c.t.Errorf("unmarshaled %#v, want %#v", got, want)
	}
}

// Canonical checks the canonical extended JSON against the canonical BSON, in both directions.
func (c *Case) Canonical(text string) {
	c.t.Helper()
	c.extended = text
	c.checkPrinted("the canonical BSON", c.canonical, true, text)
	c.checkRead("the canonical extended JSON", text, true)
}

// Relaxed checks the relaxed extended JSON against the canonical BSON, and that it comes back unchanged.
func (c *Case) Relaxed(text string) {
	c.t.Helper()
	c.checkPrinted("the canonical BSON", c.canonical, false, text)
	raw, err := bson.ExtJSONToRaw([]byte(text), false)
	if err != nil {
		c.t.Errorf("parse the relaxed extended JSON: %v", err)
		return
	}
	c.checkPrinted("the parsed relaxed extended JSON", raw, false, text)
}

// Degenerate checks that an unusual spelling of the extended JSON means the same.
func (c *Case) Degenerate(text string) {
	c.t.Helper()
	c.checkRead("the degenerate extended JSON", text, false)
}

// DegenerateBSON checks that unusual BSON is read, and written in its canonical form.
func (c *Case) DegenerateBSON(digits string) {
	c.t.Helper()
	data := suite.Bytes(digits)
	c.roundTrip("the degenerate BSON", data)
	c.checkPrinted("the degenerate BSON", data, true, c.extended)
}

// checkPrinted checks the extended JSON of a document, from its bytes and from Go values.
func (c *Case) checkPrinted(what string, data []byte, canonical bool, want string) {
	c.t.Helper()
	got, err := bson.AppendExtJSON(nil, bson.Raw(data), canonical)
	if err != nil {
		c.t.Errorf("print %s: %v", what, err)
	} else if !sameJSON(string(got), want) {
		c.t.Errorf("%s is printed as %s, want %s", what, got, want)
	}
	var native bson.D
	if err := bson.Unmarshal(data, &native); err != nil {
		c.t.Errorf("unmarshal %s: %v", what, err)
		return
	}
	got, err = bson.MarshalExtJSON(native, canonical)
	if err != nil {
		c.t.Errorf("print the Go values of %s: %v", what, err)
	} else if !sameJSON(string(got), want) {
		c.t.Errorf("the Go values of %s are printed as %s, want %s", what, got, want)
	}
}

// checkRead checks that extended JSON is parsed into the canonical BSON, directly and by way of Go values.
func (c *Case) checkRead(what, text string, canonical bool) {
	c.t.Helper()
	raw, err := bson.ExtJSONToRaw([]byte(text), canonical)
	if err != nil {
		c.t.Errorf("parse %s %s: %v", what, text, err)
		return
	}
	if !c.lossy && !bytes.Equal(raw, c.canonical) {
		c.t.Errorf("%s is parsed to %X, want %X", what, []byte(raw), c.canonical)
	}
	var native bson.D
	if err := bson.UnmarshalExtJSON([]byte(text), canonical, &native); err != nil {
		c.t.Errorf("unmarshal %s: %v", what, err)
		return
	}
	if again, err := bson.MarshalExtJSON(native, true); err != nil {
		c.t.Errorf("print the Go values of %s: %v", what, err)
	} else if !sameJSON(string(again), c.extended) {
		c.t.Errorf("the Go values of %s are printed as %s, want %s", what, again, c.extended)
	}
}

// Converted checks the BSON that a deprecated type can be converted to against its extended JSON.
func Converted(t *testing.T, digits, extended string) {
	t.Helper()
	Valid(t, digits).Canonical(extended)
}

// ConvertedText checks that the extended JSON that a deprecated type can be converted to is canonical: it comes back
// from BSON as it is.
func ConvertedText(t *testing.T, extended string) {
	t.Helper()
	raw, err := bson.ExtJSONToRaw([]byte(extended), true)
	if err != nil {
		t.Errorf("parse the converted extended JSON: %v", err)
		return
	}
	c := &Case{t: t, canonical: raw, extended: extended}
	c.checkPrinted("the converted extended JSON", raw, true, extended)
}
