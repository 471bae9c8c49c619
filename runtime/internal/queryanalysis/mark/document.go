package mark

import (
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/core/analysis"
	"github.com/specdrivers/onion/runtime/internal/queryanalysis/refusal"
	"github.com/specdrivers/onion/runtime/internal/queryanalysis/schema"
)

// AppendDocument appends a whole document, as an insert or a replacement has it, with placeholders for the values of encrypted
// fields.
func (m *Marker) AppendDocument(dst []byte, doc bson.Raw, n *schema.Node, operator string) ([]byte, error) {
	w := walk{m: m, operator: operator, top: true, append: m.AppendStored}
	m.root = doc
	dst, err := w.appendDocument(dst, doc, n)
	m.root = nil
	return dst, err
}

// AppendEmbedded is AppendDocument for a value that an update puts at a path with encrypted fields below it.
func (m *Marker) AppendEmbedded(dst []byte, doc bson.Raw, n *schema.Node, operator string) ([]byte, error) {
	w := walk{m: m, operator: operator, append: m.AppendStored}
	return w.appendDocument(dst, doc, n)
}

// AppendLiteral is AppendEmbedded for a document that is compared for equality: all its encrypted fields are encrypted deterministically.
func (m *Marker) AppendLiteral(dst []byte, doc bson.Raw, n *schema.Node, operator string) ([]byte, error) {
	w := walk{m: m, operator: operator, literal: true, append: m.appendLiteral}
	return w.appendDocument(dst, doc, n)
}

// appendLiteral marks a value inside a document that is compared.
func (m *Marker) appendLiteral(dst []byte, key string, v bson.RawValue, f *schema.Field, operator string) ([]byte, error) {
	if f.Queryable() {
		return dst, refusal.New(operator, f.Path, "documents with an encrypted field cannot be compared")
	}
	return m.AppendCompared(dst, key, v, f, operator)
}

// walk copies a document. What lies between encrypted fields is copied in one piece.
type walk struct {
	m        *Marker
	operator string
	top      bool // the document itself, not one inside
	literal  bool
	append   func(dst []byte, key string, v bson.RawValue, f *schema.Field, operator string) ([]byte, error)
}

func (w walk) appendDocument(dst []byte, doc bson.Raw, n *schema.Node) ([]byte, error) {
	dst, begin := bson.AppendDocumentStart(dst)
	r := bson.NewReader(doc)
	pos, copied := 4, 4 // in doc
	for r.Next() {
		key, v := r.Key(), r.Value()
		next := pos + 2 + len(key) + len(v.Value)
		if err := w.checkKey(key, n); err != nil {
			return dst, err
		}
		if c := n.Child(key); c != nil {
			dst = append(dst, doc[copied:pos]...)
			var err error
			if dst, err = w.appendValue(dst, key, v, c); err != nil {
				return dst, err
			}
			copied = next
		}
		pos = next
	}
	if err := r.Err(); err != nil {
		return dst, err
	}
	dst = append(dst, doc[copied:pos]...)
	return bson.AppendDocumentEnd(dst, begin), nil
}

// checkKey refuses names that a server could take for a path to an encrypted field, or for an operator.
func (w walk) checkKey(key string, n *schema.Node) error {
	if w.literal && strings.HasPrefix(key, "$") {
		return refusal.New(w.operator, key, "a document with encrypted fields contains an operator")
	}
	if strings.IndexByte(key, '.') < 0 {
		return nil
	}
	if at, err := n.Lookup(key); err != nil || at != nil {
		return refusal.New(w.operator, key, "a field name with dots reads as the path of an encrypted field")
	}
	return nil
}

func (w walk) appendValue(dst []byte, key string, v bson.RawValue, n *schema.Node) ([]byte, error) {
	if f := n.Field(); f != nil {
		if w.top && w.m.Inserts && isEmptyTimestamp(v) {
			return dst, refusal.Text(w.operator, f.Path, analysis.InsertTimestamp())
		}
		return w.append(dst, key, v, f, w.operator)
	}
	if n.IsGone() {
		return dst, refusal.RemovedField(w.operator, key)
	}
	if n.IsOpaque() || n.Elements() != nil || v.Type == bsontype.Array {
		return dst, refusal.Text(w.operator, key, analysis.CannotEncryptArray())
	}
	doc, ok := v.DocumentOK()
	if !ok {
		return bson.AppendRawValueElement(dst, key, v), nil
	}
	dst = bson.AppendHeader(dst, bsontype.EmbeddedDocument, key)
	w.top = false
	return w.appendDocument(dst, doc, n)
}

func isEmptyTimestamp(v bson.RawValue) bool {
	t, i, ok := v.TimestampOK()
	return ok && t == 0 && i == 0
}

// CheckID refuses a document that lacks its _id although the schema encrypts it: the server would make one in plain text.
func CheckID(doc bson.Raw, n *schema.Node) error {
	if n.Child("_id").Kind() != analysis.KindPlain && doc.Lookup("_id").IsZero() {
		return refusal.New("", "_id", "the document needs an _id, because the schema encrypts it")
	}
	return nil
}
