package suite_test

import (
	"bytes"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/tools/suite"
)

func TestLiterals(t *testing.T) {
	if id := suite.ObjectID("000000000000000000000002"); id != (bson.ObjectID{11: 2}) {
		t.Errorf("ObjectID: %v", id)
	}
	if d := suite.Decimal("1E+3"); d.String() != "1E+3" {
		t.Errorf("Decimal: %v", d)
	}
	if b := suite.Binary(5, "AQI="); b.Subtype != 5 || !bytes.Equal(b.Data, []byte{1, 2}) {
		t.Errorf("Binary: %v", b)
	}
	if u := suite.UUID("00000000-0000-0000-0000-0000000000ff"); u.Subtype != 4 || len(u.Data) != 16 || u.Data[15] != 0xff {
		t.Errorf("UUID: %v", u)
	}
}

func TestKeyID(t *testing.T) {
	if id := suite.KeyID("AAAAAAAAAAAAAAAAAAAA/w=="); id != (bson.UUID{15: 0xff}) {
		t.Errorf("KeyID: %v", id)
	}
}

func TestBrokenLiteralPanics(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	suite.ObjectID("zz")
}
