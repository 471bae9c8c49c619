package agg

import (
	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

func text(v bson.RawValue) string {
	if v.IsZero() {
		return "MISSING"
	}
	return status.TextOf(v)
}

// newRoot returns the document that replaces d.
func newRoot(v bson.RawValue, d bson.Raw, what string) (bson.Raw, error) {
	out, ok := v.DocumentOK()
	if !ok {
		return nil, status.Errorf(errcode.Location40228,
			"%s must evaluate to an object, but resulting value was: %s. Type of resulting value: '%s'. Input "+
				"document: %s", what, text(v), value.TypeName(v), status.Text(d))
	}
	return out, nil
}
