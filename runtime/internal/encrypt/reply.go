package encrypt

import (
	"context"
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/core/wire"
)

// Decrypt opens the encrypted values of a reply. What the server says about failed writes stays as it is: it may quote values of
// documents, and its text goes into errors, logs and traces, which hold ciphertext only.
func (a *Auto) Decrypt(ctx context.Context, reply bson.Raw) (bson.Raw, error) {
	if !hasErrors(reply) {
		out, _, err := decrypt(ctx, a.Ring, reply)
		return out, err
	}
	out, changed, err := decrypt(ctx, a.Ring, appendErrors(nil, reply, nil, wholeReply))
	if err != nil || !changed {
		return reply, err
	}
	return appendErrors(nil, out, reply, wholeReply), nil
}

// hasErrors reports whether a reply may hold errors of single writes.
func hasErrors(reply bson.Raw) bool {
	return !reply.Lookup(wire.FieldWriteErrors).IsZero() || !reply.Lookup(wire.FieldWriteConcernError).IsZero() || isBulkWrite(reply)
}

// isBulkWrite reports whether a reply's cursor comes from a bulkWrite: its documents are then results of writes.
func isBulkWrite(reply bson.Raw) bool {
	namespace, _ := reply.Lookup(wire.FieldCursor, "ns").StringOK()
	return strings.HasSuffix(namespace, ".$cmd.bulkWrite")
}

// level says which part of a reply a document is. Only some parts contain errors.
type level uint8

const (
	wholeReply level = iota
	cursorOfResults
	results
	oneResult
	otherPart
)

// enter returns the level of an element, and reports whether the element is an error.
func (l level) enter(key string, doc bson.Raw) (inner level, isError bool) {
	switch {
	case l == wholeReply && key == wire.FieldCursor && isBulkWrite(doc):
		return cursorOfResults, false
	case l == wholeReply:
		return otherPart, key == wire.FieldWriteErrors || key == wire.FieldWriteConcernError
	case l == cursorOfResults && (key == wire.FieldFirstBatch || key == wire.FieldNextBatch):
		return results, false
	case l == results:
		return oneResult, false
	}
	return otherPart, l == oneResult && (key == wire.FieldErrInfo || key == "keyValue")
}

// appendErrors appends doc, but with the errors of from, which has the same elements. If from is nil, it puts null in their place.
func appendErrors(dst []byte, doc, from bson.Raw, at level) []byte {
	dst, start := bson.AppendDocumentStart(dst)
	r, other := bson.NewReader(doc), bson.NewReader(from)
	for r.Next() {
		key, v := r.Key(), r.Value()
		var original bson.RawValue
		if from != nil && other.Next() {
			original = other.Value()
		}
		inner, isError := at.enter(key, doc)
		switch {
		case isError && from == nil:
			dst = bson.AppendNullElement(dst, key)
		case isError:
			dst = bson.AppendRawValueElement(dst, key, original)
		case inner != otherPart && (v.Type == bsontype.EmbeddedDocument || v.Type == bsontype.Array):
			var below bson.Raw
			if from != nil {
				below = bson.Raw(original.Value)
			}
			dst = appendErrors(bson.AppendHeader(dst, v.Type, key), bson.Raw(v.Value), below, inner)
		default:
			dst = bson.AppendRawValueElement(dst, key, v)
		}
	}
	return bson.AppendDocumentEnd(dst, start)
}
