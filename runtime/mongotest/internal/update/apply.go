package update

import (
	"bytes"
	"strconv"
	"strings"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/runtime/mongotest/internal/path"
	"github.com/specdrivers/onion/runtime/mongotest/internal/status"
	"github.com/specdrivers/onion/runtime/mongotest/internal/value"
)

// Input is the document to change and its surroundings.
type Input struct {
	Doc      bson.Raw
	Position int  // the array index that the query matched, -1 for none
	Insert   bool // the document is about to be inserted by an upsert
	Now      time.Time
	// Timestamp is the value of $currentDate: {$type: "timestamp"}.
	Timestamp bson.Timestamp
}

// application is one update of one document.
type application struct {
	update *Update
	in     Input
	root   *level
	field  string // the path being changed, for messages
}

// Apply changes a document. The result is the same slice when nothing changed.
func (u *Update) Apply(in Input) (bson.Raw, error) {
	if u.replacement != nil || u.changes == nil && u.filters == nil {
		return u.replace(in)
	}
	a := &application{update: u, in: in, root: newLevel(in.Doc, false)}
	for i := range u.changes {
		c := &u.changes[i]
		if c.run.insert && !in.Insert {
			continue
		}
		if c.op == "$rename" {
			if err := a.rename(c); err != nil {
				return nil, err
			}
			continue
		}
		paths, err := a.resolve(c)
		if err != nil {
			return nil, err
		}
		for _, p := range paths {
			if err := a.change(c, p); err != nil {
				return nil, err
			}
		}
	}
	if !a.root.dirty() {
		return in.Doc, nil
	}
	out := bson.Raw(a.root.encode().Value)
	if bytes.Equal(out, in.Doc) {
		return in.Doc, nil
	}
	return out, a.keepID(out)
}

// keepID refuses a change of _id, except in the document of an upsert that has none yet.
func (a *application) keepID(out bson.Raw) error {
	before, after := path.Field(a.in.Doc, "_id"), path.Field(out, "_id")
	if before.Equal(after) || before.IsZero() && a.in.Insert {
		return nil
	}
	return status.Errorf(errcode.ImmutableField, "Performing an update on the path '_id' would modify the immutable field '_id'")
}

// replace keeps _id and takes everything else from the replacement.
func (u *Update) replace(in Input) (bson.Raw, error) {
	old, given := path.Field(in.Doc, "_id"), path.Field(u.replacement, "_id")
	if !old.IsZero() && !given.IsZero() && !old.Equal(given) {
		return nil, status.Errorf(errcode.ImmutableField, "After applying the update, the (immutable) field '_id' was found to have been altered to _id: %s", status.TextOf(given))
	}
	dst, start := bson.AppendDocumentStart(make([]byte, 0, len(u.replacement)+len(old.Value)+8))
	if !old.IsZero() {
		dst = bson.AppendRawValueElement(dst, "_id", old)
	} else if !given.IsZero() {
		dst = bson.AppendRawValueElement(dst, "_id", given)
	}
	for key, v := range u.replacement.All() {
		if key == "_id" {
			continue
		}
		if t, i, ok := v.TimestampOK(); ok && t == 0 && i == 0 {
			v = value.Timestamp(in.Timestamp.T, in.Timestamp.I)
		}
		dst = bson.AppendRawValueElement(dst, key, v)
	}
	out := bson.Raw(bson.AppendDocumentEnd(dst, start))
	if bytes.Equal(out, in.Doc) {
		return in.Doc, nil
	}
	return out, nil
}

// resolve replaces $, $[] and $[identifier] in a path by the positions that they stand for.
func (a *application) resolve(c *change) ([]path.Path, error) {
	dynamic := -1
	for i, f := range c.path {
		if strings.HasPrefix(f, "$") && f != "$id" && f != "$ref" && f != "$db" {
			dynamic = i
			break
		}
	}
	if dynamic < 0 {
		return []path.Path{c.path}, nil
	}
	return a.expand(c, c.path, dynamic)
}

func (a *application) expand(c *change, p path.Path, from int) ([]path.Path, error) {
	for i := from; i < len(p); i++ {
		f := p[i]
		switch {
		case f == "$":
			if a.in.Position < 0 {
				return nil, status.Errorf(errcode.BadValue, "The positional operator did not find the match needed from the query.")
			}
			p = append(append(p[:i:i], strconv.Itoa(a.in.Position)), p[i+1:]...)
		case strings.HasPrefix(f, "$["):
			return a.each(c, p, i)
		}
	}
	return []path.Path{p}, nil
}

// each expands the $[] or $[identifier] at position i of the path over the array that stands there.
func (a *application) each(c *change, p path.Path, i int) ([]path.Path, error) {
	v := a.lookup(p[:i])
	if v.IsZero() {
		return nil, status.Errorf(errcode.BadValue, "The path '%s' must exist in the document in order to apply array updates.", path.Path(p[:i]))
	}
	if v.Type != bsontype.Array {
		return nil, status.Errorf(errcode.BadValue, "Cannot apply array updates to non-array element %s: %s", p[i-1], status.TextOf(v))
	}
	identifier := strings.TrimSuffix(strings.TrimPrefix(p[i], "$["), "]")
	var out []path.Path
	for n, e := range value.Elements(v) {
		if identifier != "" {
			wrapped, start := bson.AppendDocumentStart(nil)
			wrapped = bson.AppendRawValueElement(wrapped, identifier, e)
			ok, err := a.update.filters[identifier].Match(bson.AppendDocumentEnd(wrapped, start))
			if err != nil {
				return nil, err
			}
			if !ok {
				continue
			}
		}
		q := append(append(p[:i:i], strconv.Itoa(n)), p[i+1:]...)
		paths, err := a.expand(c, q, i+1)
		if err != nil {
			return nil, err
		}
		out = append(out, paths...)
	}
	return out, nil
}

// lookup is the present value at a path.
func (a *application) lookup(p path.Path) bson.RawValue {
	l, err := a.root.walk(p, false)
	if l == nil || err != nil {
		return bson.RawValue{}
	}
	if i := l.find(p[len(p)-1]); i >= 0 {
		return l.elements[i].encoded()
	}
	return bson.RawValue{}
}

// change applies an operator at one path.
func (a *application) change(c *change, p path.Path) error {
	name := p[len(p)-1]
	a.field = p.String()
	l, err := a.root.walk(p, false)
	if err != nil {
		return err
	}
	var old bson.RawValue
	if l != nil {
		if i := l.find(name); i >= 0 {
			old = l.elements[i].encoded()
		}
	}
	if old.IsZero() && !c.run.creates {
		return nil
	}
	if l == nil {
		if l, err = a.root.walk(p, true); err != nil {
			return err
		}
	}
	if l.array && !path.IsIndex(name) {
		parent := "<root>"
		if len(p) > 1 {
			parent = p[len(p)-2]
		}
		return notViable(name, parent, l.encode())
	}
	v, err := c.run.apply(a, old)
	switch {
	case err != nil:
		return err
	case v.IsZero():
		l.remove(name)
		return nil
	case v.Equal(old):
		return nil
	}
	return l.set(name, v)
}

// rename does one half: it removes the source, or sets the target to what the source was before the update.
func (a *application) rename(c *change) error {
	original := bson.Raw(a.in.Doc)
	if c.source == nil {
		if err := a.noArray("source", c.path); err != nil {
			return err
		}
		l, err := a.root.walk(c.path, false)
		if l != nil && err == nil {
			l.remove(c.path[len(c.path)-1])
		}
		return err
	}
	v := c.source.Lookup(original)
	if v.IsZero() {
		return nil
	}
	if err := a.noArray("destination", c.path); err != nil {
		return err
	}
	l, err := a.root.walk(c.path, true)
	if err != nil {
		return err
	}
	return l.set(c.path[len(c.path)-1], v)
}

func (a *application) noArray(which string, p path.Path) error {
	for i := 1; i < len(p); i++ {
		if path.Path(p[:i]).Lookup(a.in.Doc).Type == bsontype.Array {
			return status.Errorf(errcode.BadValue, "The %s field cannot be an array element, '%s' in doc with _id: %s has an array field called '%s'", which, p, status.TextOf(path.Field(a.in.Doc, "_id")), p[i-1])
		}
	}
	return nil
}

// id prints the document's _id for messages.
func (a *application) id() string {
	return "{_id: " + status.TextOf(path.Field(a.in.Doc, "_id")) + "}"
}
