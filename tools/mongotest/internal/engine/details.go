package engine

import (
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

// newDetail builds one document of details.
func newDetail(operator string, more func(dst []byte) []byte) bson.RawValue {
	dst, start := bson.AppendDocumentStart(nil)
	dst = bson.AppendStringElement(dst, "operatorName", operator)
	return value.Document(bson.AppendDocumentEnd(more(dst), start))
}

func newClause(at int32, details bson.RawValue) bson.RawValue {
	dst, start := bson.AppendDocumentStart(nil)
	dst = bson.AppendInt32Element(dst, "index", at)
	dst = bson.AppendRawValueElement(dst, "details", details)
	return value.Document(bson.AppendDocumentEnd(dst, start))
}

// condition is one operator on a field, or at the top of a query.
type condition struct {
	name string
	v    bson.RawValue
}

// conditions splits {a: {$gt: 1, $lt: 5}} into its operators.
func conditions(name string, v bson.RawValue) []condition {
	d, ok := v.DocumentOK()
	if first, _ := d.Index(0); !ok || strings.HasPrefix(name, "$") || !strings.HasPrefix(first.Key, "$") || d.Lookup("$regex").Type != 0 {
		return []condition{{name, v}}
	}
	var list []condition
	for op, operand := range d.All() {
		list = append(list, condition{name, value.Document(newSingleField(op, operand))})
	}
	return list
}

func appendAnnotations(dst []byte, schema bson.Raw) []byte {
	for _, name := range [...]string{"title", "description"} {
		if v := schema.Lookup(name); v.Type == bsontype.String {
			dst = bson.AppendRawValueElement(dst, name, v)
		}
	}
	return dst
}
