package encrypt

import (
	"strconv"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
)

// RewriteList copies a document; change appends the replacement of each document in one of its arrays. Items that are
// not documents are copied, for the server to refuse.
func RewriteList(doc bson.Raw, name string, change func(dst []byte, item bson.Raw) ([]byte, error)) (bson.Raw, error) {
	dst, start := bson.AppendDocumentStart(make([]byte, 0, len(doc)+256))
	for key, value := range doc.All() {
		list, ok := value.ArrayOK()
		if key != name || !ok {
			dst = bson.AppendRawValueElement(dst, key, value)
			continue
		}
		var array, i int
		dst, array = bson.AppendArrayElementStart(dst, name)
		for _, v := range list.All() {
			item, ok := v.DocumentOK()
			if !ok {
				dst = bson.AppendRawValueElement(dst, strconv.Itoa(i), v)
			} else {
				var err error
				if dst, err = change(bson.AppendHeader(dst, bsontype.EmbeddedDocument, strconv.Itoa(i)), item); err != nil {
					return nil, err
				}
			}
			i++
		}
		dst = bson.AppendDocumentEnd(dst, array)
	}
	return bson.AppendDocumentEnd(dst, start), nil
}

// reopen appends a document without its final zero byte, so that elements can be added. start is where it begins.
func reopen(dst []byte, doc bson.Raw) (out []byte, start int) {
	return append(dst, doc[:len(doc)-1]...), len(dst)
}
