// The command killCursors: closes cursors by number and reports which were open.

package engine

import (
	"context"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

var killCursorsFields = []field{{"cursors", 0, array | required}}

func (e *Engine) killCursors(_ context.Context, r *Request, dst []byte) ([]byte, error) {
	if _, err := r.collection(); err != nil {
		return nil, err
	}
	a, err := r.parse(killCursorsFields)
	if err != nil {
		return nil, err
	}
	list := value.Elements(a.get("cursors"))
	for i, v := range list {
		if v.Type != bsontype.Int64 {
			return nil, status.Errorf(errcode.TypeMismatch,
				"BSON field 'killCursors.cursors.%d' is the wrong type '%s', expected type 'long'", i, v.Type)
		}
	}
	var killed, unknown []bson.RawValue
	for _, v := range list {
		if id, _ := v.Int64OK(); e.cursors.Kill(id) {
			killed = append(killed, v)
		} else {
			unknown = append(unknown, v)
		}
	}
	dst = bson.AppendRawValueElement(dst, "cursorsKilled", value.ArrayOf(killed...))
	dst = bson.AppendRawValueElement(dst, "cursorsNotFound", value.ArrayOf(unknown...))
	dst = bson.AppendRawValueElement(dst, "cursorsAlive", value.ArrayOf())
	return bson.AppendRawValueElement(dst, "cursorsUnknown", value.ArrayOf()), nil
}
