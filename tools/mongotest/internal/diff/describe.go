package diff

import (
	"strconv"
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/tools/mongotest/internal/path"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

// Description is what a change stream reports about an update.
type Description struct {
	Updated   bson.Raw      // the new values by their dotted paths
	Removed   bson.RawValue // an array of the paths that are gone
	Truncated bson.RawValue // an array of {field, newSize}
	// Paths splits each path that has a dot or a number in the name of a field.
	Paths bson.Raw
}

// describer walks a difference.
type describer struct {
	updated, paths     []byte
	removed, truncated []bson.RawValue
}

// Describe turns a difference into the fields of an update description.
func Describe(d bson.Raw) Description {
	w := &describer{}
	var start, in int
	w.updated, start = bson.AppendDocumentStart(nil)
	w.paths, in = bson.AppendDocumentStart(nil)
	w.describeDocument(d, nil)
	return Description{
		Updated: bson.AppendDocumentEnd(w.updated, start), Paths: bson.AppendDocumentEnd(w.paths, in),
		Removed: value.ArrayOf(w.removed...), Truncated: value.ArrayOf(w.truncated...),
	}
}

// component is a field's name, or a position in an array.
type component struct {
	name  string
	index bool
}

func (w *describer) describeDocument(d bson.Raw, at []component) {
	for key, v := range d.All() {
		in, _ := v.DocumentOK()
		switch {
		case key == "d":
			for name := range in.All() {
				w.removed = append(w.removed, value.String(w.path(at, component{name: name})))
			}
		case key == "u" || key == "i":
			for name, now := range in.All() {
				w.updated = bson.AppendRawValueElement(w.updated, w.path(at, component{name: name}), now)
			}
		default:
			w.describeArray(in, append(at[:len(at):len(at)], component{name: key[1:]}))
		}
	}
}

func (w *describer) describeArray(d bson.Raw, at []component) {
	if path.Field(d, "a").Type != bsontype.Boolean {
		w.describeDocument(d, at)
		return
	}
	for key, v := range d.All() {
		next := component{key[1:], true}
		switch key[0] {
		case 'l':
			name := w.path(at[:len(at)-1], at[len(at)-1])
			cut, start := bson.AppendDocumentStart(nil)
			cut = bson.AppendStringElement(cut, "field", name)
			cut = bson.AppendRawValueElement(cut, "newSize", v)
			w.truncated = append(w.truncated, value.Document(bson.AppendDocumentEnd(cut, start)))
		case 'u':
			w.updated = bson.AppendRawValueElement(w.updated, w.path(at, next), v)
		case 's':
			in, _ := v.DocumentOK()
			w.describeArray(in, append(at[:len(at):len(at)], next))
		}
	}
}

// path joins components, and notes them one by one when the joined path can be read in two ways.
func (w *describer) path(at []component, last component) string {
	all := append(at[:len(at):len(at)], last)
	names, ambiguous := make([]string, len(all)), false
	for i, c := range all {
		names[i] = c.name
		ambiguous = ambiguous || !c.index && (strings.ContainsRune(c.name, '.') || path.IsIndex(c.name) && i > 0)
	}
	joined := strings.Join(names, ".")
	if !ambiguous || !path.Field(bson.AppendDocumentEnd(w.paths[:len(w.paths):len(w.paths)], 0), joined).IsZero() {
		return joined
	}
	parts := make([]bson.RawValue, len(all))
	for i, c := range all {
		parts[i] = value.String(c.name)
		if n, err := strconv.Atoi(c.name); c.index && err == nil {
			parts[i] = value.Int32(int32(n))
		}
	}
	w.paths = bson.AppendRawValueElement(w.paths, joined, value.ArrayOf(parts...))
	return joined
}

// Modifiers writes a difference as the $set and $unset of an oplog entry of a server before 5.0. ok is false when they
// cannot express it.
func Modifiers(d bson.Raw) (update bson.Raw, ok bool) {
	is := Describe(d)
	if len(value.Elements(is.Truncated)) > 0 {
		return nil, false
	}
	dst, start := bson.AppendDocumentStart(nil)
	dst = bson.AppendInt32Element(dst, "$v", 1)
	if removed := value.Elements(is.Removed); len(removed) > 0 {
		var in int
		dst, in = bson.AppendDocumentElementStart(dst, "$unset")
		for _, name := range removed {
			dst = bson.AppendBooleanElement(dst, value.Text(name), true)
		}
		dst = bson.AppendDocumentEnd(dst, in)
	}
	if is.Updated.Len() > 0 {
		dst = bson.AppendDocumentElement(dst, "$set", is.Updated)
	}
	return bson.AppendDocumentEnd(dst, start), true
}
