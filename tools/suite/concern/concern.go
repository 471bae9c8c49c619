package concern

import (
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/concern"
)

// Test is a concern that a command would send.
type Test struct {
	t            *testing.T
	sent         bson.Raw // the part of the command, empty when there is none
	isDefault    bool
	acknowledged bool
}

// Read returns a read concern.
func Read(t *testing.T, rc *options.ReadConcern) *Test {
	t.Helper()
	body, start := bson.AppendDocumentStart(nil)
	body = concern.AppendRead(body, "concern", rc, bson.Timestamp{}, bson.Timestamp{})
	sent := sentConcern(t, bson.AppendDocumentEnd(body, start))
	return &Test{t: t, sent: sent, isDefault: len(sent) == len(bson.EmptyDocument()), acknowledged: true}
}

// Write returns a write concern that must be valid.
func Write(t *testing.T, wc *options.WriteConcern) *Test {
	t.Helper()
	body, start := bson.AppendDocumentStart(nil)
	body, err := concern.AppendWrite(body, "concern", wc, false)
	if err != nil {
		t.Fatalf("%+v is refused: %v", wc, err)
	}
	return &Test{
		t: t, sent: sentConcern(t, bson.AppendDocumentEnd(body, start)),
		isDefault: concern.IsDefault(wc), acknowledged: concern.IsAcknowledged(wc),
	}
}

// InvalidWrite is a write concern that must be refused.
func InvalidWrite(t *testing.T, wc *options.WriteConcern) {
	t.Helper()
	if err := concern.ValidateWrite(wc); err == nil {
		t.Errorf("%+v is accepted", wc)
	}
	if _, err := concern.AppendWrite(nil, "concern", wc, false); err == nil {
		t.Errorf("%+v is sent", wc)
	}
}

// InvalidRead is a read concern that must be refused. The driver refuses none: a level that it does not know may be one
// that a newer server does.
func InvalidRead(t *testing.T, rc *options.ReadConcern) {
	t.Helper()
	t.Errorf("%+v is accepted, as every read concern is", rc)
}

// sentConcern returns the concern in the body of a command.
func sentConcern(t *testing.T, body bson.Raw) bson.Raw {
	t.Helper()
	if err := body.Validate(); err != nil {
		t.Fatalf("the command is not valid BSON: %v", err)
	}
	v := body.Lookup("concern")
	if v.IsZero() {
		return bson.EmptyDocument()
	}
	doc, ok := v.DocumentOK()
	if !ok {
		t.Fatalf("the concern is sent as %v", v)
	}
	return doc
}

// Sends checks the document that the server gets; an empty one is the same as none.
func (c *Test) Sends(want bson.D) {
	c.t.Helper()
	raw, err := bson.Marshal(want)
	if err != nil {
		c.t.Fatalf("marshal the expected document: %v", err)
	}
	if !sameDocument(c.sent, raw) {
		c.t.Errorf("the server gets %v, want %v", c.sent, raw)
	}
}

// sameDocument compares documents whose order does not matter, and in which an integer is one whatever its size.
func sameDocument(a, b bson.Raw) bool {
	as, errA := a.Elements()
	bs, errB := b.Elements()
	if errA != nil || errB != nil || len(as) != len(bs) {
		return false
	}
	for _, e := range as {
		other := b.Lookup(e.Key)
		x, okX := e.Value.AsInt64OK()
		y, okY := other.AsInt64OK()
		if okX && okY && x == y {
			continue
		}
		if !e.Value.Equal(other) {
			return false
		}
	}
	return true
}

// IsServerDefault checks whether the concern leaves everything to the server.
func (c *Test) IsServerDefault(want bool) {
	c.t.Helper()
	if c.isDefault != want {
		c.t.Errorf("being the server's default is %v, want %v", c.isDefault, want)
	}
}

// IsAcknowledged checks whether the server answers a write.
func (c *Test) IsAcknowledged(want bool) {
	c.t.Helper()
	if c.acknowledged != want {
		c.t.Errorf("being acknowledged is %v, want %v", c.acknowledged, want)
	}
}
