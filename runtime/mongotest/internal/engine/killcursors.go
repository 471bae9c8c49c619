package engine

import (
	"context"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/runtime/mongotest/internal/status"
)

var killCursorsFields = []field{{"cursors", 0, array | required}}

// killCursors closes cursors by number and says which were open.
func (e *Engine) killCursors(_ context.Context, r *Request, dst []byte) ([]byte, error) {
	a, err := r.parse(killCursorsFields)
	if err != nil {
		return nil, err
	}
	var killed, unknown []int64
	for _, v := range bson.Raw(a.get("cursors").Value).All() {
		id, ok := v.Int64OK()
		switch {
		case !ok:
			return nil, status.Errorf(errcode.TypeMismatch, "BSON field 'killCursors.cursors.0' is the wrong type '%s', expected type 'long'", v.Type)
		case e.cursors.Kill(id):
			killed = append(killed, id)
		default:
			unknown = append(unknown, id)
		}
	}
	dst = appendNumbers(dst, "cursorsKilled", killed)
	dst = appendNumbers(dst, "cursorsNotFound", unknown)
	dst = appendNumbers(dst, "cursorsAlive", nil)
	return appendNumbers(dst, "cursorsUnknown", nil), nil
}

func appendNumbers(dst []byte, key string, list []int64) []byte {
	dst, start := bson.AppendArrayElementStart(dst, key)
	for i, n := range list {
		dst = bson.AppendArrayIndexHeader(dst, bsontype.Int64, i)
		for shift := 0; shift < 64; shift += 8 {
			dst = append(dst, byte(uint64(n)>>shift))
		}
	}
	return bson.AppendDocumentEnd(dst, start)
}
