package update

import (
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/core/analysis"
	"github.com/specdrivers/onion/runtime/internal/queryanalysis/mark"
	"github.com/specdrivers/onion/runtime/internal/queryanalysis/refusal"
	"github.com/specdrivers/onion/runtime/internal/queryanalysis/schema"
)

// Update is where an update applies.
type Update struct {
	Marker *mark.Marker
	Tree   *schema.Node
	Upsert bool
}

// Append appends an update: operators, or a document that replaces another.
func (u Update) Append(dst []byte, key string, v bson.RawValue) ([]byte, error) {
	doc, ok := v.DocumentOK()
	if !ok {
		return dst, refusal.New(key, "", "an update must be a document or a pipeline")
	}
	first, _ := doc.Index(0)
	dst = bson.AppendHeader(dst, bsontype.EmbeddedDocument, key)
	if strings.HasPrefix(first.Key, "$") {
		return u.appendOperators(dst, doc)
	}
	return u.appendReplacement(dst, key, doc)
}

func (u Update) appendReplacement(dst []byte, key string, doc bson.Raw) ([]byte, error) {
	for name := range doc.All() {
		if strings.HasPrefix(name, "$") {
			return dst, refusal.New(name, "", "a document that replaces another cannot hold operators")
		}
	}
	u.Marker.Inserts = u.Upsert
	if u.Upsert {
		if err := mark.CheckID(doc, u.Tree); err != nil {
			return dst, err
		}
	}
	return u.Marker.AppendDocument(dst, doc, u.Tree, key)
}

func (u Update) appendOperators(dst []byte, doc bson.Raw) ([]byte, error) {
	dst, start := bson.AppendDocumentStart(dst)
	for name, v := range doc.All() {
		rules, known := analysis.OfUpdate(name)
		fields, ok := v.DocumentOK()
		if !known || !ok {
			return dst, refusal.New(name, "", "the update operator is not known to be safe with encrypted fields")
		}
		var at int
		dst, at = bson.AppendDocumentElementStart(dst, name)
		o := operator{u, name, rules}
		for path, v := range fields.All() {
			var err error
			if dst, err = o.appendField(dst, path, v); err != nil {
				return dst, err
			}
		}
		dst = bson.AppendDocumentEnd(dst, at)
	}
	return bson.AppendDocumentEnd(dst, start), nil
}

// operator is one update operator.
type operator struct {
	Update
	name  string
	rules analysis.UpdateOperator
}

// appendField appends one field of an operator.
func (o operator) appendField(dst []byte, path string, v bson.RawValue) ([]byte, error) {
	n, err := o.lookup(path)
	if err != nil {
		return dst, err
	}
	rule := o.rules.Plain
	switch n.Kind() {
	case analysis.KindPlain:
	case analysis.KindPrefix:
		rule = o.rules.Prefix
	default:
		rule = o.rules.Encrypted
	}
	switch rule {
	case analysis.UpdatePass:
		return bson.AppendRawValueElement(dst, path, v), nil
	case analysis.UpdateMark:
		return o.Marker.AppendStored(dst, path, v, n.Field(), o.name)
	case analysis.UpdateDocument:
		return o.appendDocument(dst, path, v, n)
	case analysis.UpdateEmpty:
		return bson.AppendRawValueElement(dst, path, v), o.refuseValue(path, v)
	case analysis.UpdateRename:
		return bson.AppendRawValueElement(dst, path, v), o.checkRename(path, v, n)
	}
	return dst, o.refuse(path)
}

func (o operator) refuse(path string) error {
	if o.rules.With == "" {
		return refusal.Text(o.name, path, analysis.NotAllowedOnEncrypted(o.name))
	}
	first, second := o.name, o.rules.With
	if second < first {
		first, second = second, first
	}
	return refusal.Text(o.name, path, analysis.NeitherAllowedOnEncrypted(first, second))
}

// refuseValue refuses a value that could be the field's: the server ignores it, but it would leave in plain text.
func (o operator) refuseValue(path string, v bson.RawValue) error {
	text, isText := v.StringOK()
	n, isNumber := v.AsFloat64OK()
	_, isFlag := v.BooleanOK()
	if isText && text == "" || isNumber && (n == 0 || n == 1) || isFlag || v.Type == bsontype.Null {
		return nil
	}
	return refusal.New(o.name, path, "the operator ignores its value, which would be sent in plain text: use an empty string")
}

// appendDocument appends a value for a path above encrypted fields.
func (o operator) appendDocument(dst []byte, path string, v bson.RawValue, n *schema.Node) ([]byte, error) {
	if n.IsOpaque() {
		return dst, refusal.New(o.name, path, "the schema encrypts the field in more than one way")
	}
	if v.Type == bsontype.Array {
		return dst, refusal.Text(o.name, path, analysis.CannotEncryptArray())
	}
	doc, ok := v.DocumentOK()
	if !ok {
		return bson.AppendRawValueElement(dst, path, v), nil
	}
	return o.Marker.AppendEmbedded(bson.AppendHeader(dst, bsontype.EmbeddedDocument, path), doc, n, o.name)
}

// checkRename refuses to move a value to where it would be encrypted in another way, or not at all.
func (o operator) checkRename(path string, v bson.RawValue, from *schema.Node) error {
	target, ok := v.StringOK()
	if !ok {
		return refusal.New(o.name, path, "the operator needs the name of a field")
	}
	to, err := o.lookup(target)
	if err != nil {
		return err
	}
	if from == nil && to == nil {
		return nil
	}
	f, t := from.Field(), to.Field()
	if f == nil || t == nil || f.Queryable() || f.KeyPath != nil || !f.EncryptsLike(t) {
		return refusal.Text(o.name, path, analysis.RenameMetadata())
	}
	return nil
}

// lookup follows the path of an update. What is below a positional operator may be any element.
func (o operator) lookup(path string) (*schema.Node, error) {
	n, names := o.Tree, strings.Split(path, ".")
	for i, name := range names {
		if !strings.HasPrefix(name, "$") {
			continue
		}
		above, err := n.Lookup(strings.Join(names[:i], "."))
		if err != nil {
			return nil, err
		}
		if i > 0 && above == nil {
			return nil, nil
		}
		if strings.HasPrefix(name, "$[") {
			return nil, refusal.Text(o.name, path, analysis.ArrayUpdate())
		}
		return nil, refusal.Text(o.name, path, analysis.BelowPositional())
	}
	return n.Lookup(path)
}
