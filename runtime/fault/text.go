package fault

import (
	"strings"
	"unicode/utf8"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
)

// text reads a text of a server. Bytes that are not UTF-8 are replaced: an error message that quotes a document may
// hold them.
func text(v bson.RawValue) string {
	s, _ := v.StringOK()
	return strings.ToValidUTF8(s, string(utf8.RuneError))
}

// ReadReply checks the whole reply of a server. If the only mistake is text that is not UTF-8, it returns a copy with
// replacement characters: the server did reply, and the connection is as good as before.
func ReadReply(reply bson.Raw) (bson.Raw, error) {
	err := reply.Validate()
	if err == nil {
		return reply, nil
	}
	readable, ok := appendReadable(nil, reply, bson.DefaultMaxDepth)
	if !ok || bson.Raw(readable).Validate() != nil {
		return nil, err
	}
	return readable, nil
}

// appendReadable copies a document and makes its texts valid. It reports false for one that is malformed in another
// way.
func appendReadable(dst []byte, doc bson.Raw, depth int) ([]byte, bool) {
	elements, err := doc.Elements()
	if err != nil || depth == 0 {
		return nil, false
	}
	dst, start := bson.AppendDocumentStart(dst)
	for _, e := range elements {
		switch e.Value.Type {
		case bsontype.String:
			dst = bson.AppendStringElement(dst, e.Key, text(e.Value))
		case bsontype.EmbeddedDocument, bsontype.Array:
			nested, ok := appendReadable(nil, bson.Raw(e.Value.Value), depth-1)
			if !ok {
				return nil, false
			}
			e.Value.Value = nested
			dst = bson.AppendRawValueElement(dst, e.Key, e.Value)
		default:
			dst = bson.AppendRawValueElement(dst, e.Key, e.Value)
		}
	}
	return bson.AppendDocumentEnd(dst, start), true
}
