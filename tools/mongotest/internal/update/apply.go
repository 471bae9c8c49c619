package update

import (
	"bytes"
	"slices"
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/compare"
	"github.com/specdrivers/onion/tools/mongotest/internal/path"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

// depthMax limits the nesting of a stored document.
const depthMax = 200

// Apply changes a document. If nothing changes, it returns the same slice.
func (u *Update) Apply(in Input) (bson.Raw, error) {
	out, _, err := u.ApplyLogged(in)
	return out, err
}

// ApplyLogged is Apply, and also returns the difference in the format of the oplog. For a replacement the difference is
// nil.
func (u *Update) ApplyLogged(in Input) (out, changed bson.Raw, err error) {
	if u.replacement != nil {
		out, err = u.replace(in)
		return out, nil, err
	}
	a := &application{update: u, in: in, root: newLevel(in.Doc, false)}
	changes, err := a.changes()
	if err != nil {
		return nil, nil, err
	}
	for i := range changes {
		c := &changes[i]
		switch {
		case c.run.insert && !in.Insert:
		case c.source != nil:
			err = a.rename(c)
		default:
			err = a.change(c)
		}
		if err != nil {
			return nil, nil, err
		}
	}
	if !a.root.isDirty() {
		return in.Doc, nil, nil
	}
	out = bson.Raw(a.root.encode().Value)
	if bytes.Equal(out, in.Doc) {
		return in.Doc, nil, nil
	}
	return out, a.root.diff(), nil
}

// replace keeps _id and takes all other fields from the replacement.
func (u *Update) replace(in Input) (bson.Raw, error) {
	old, given := path.Field(in.Doc, "_id"), path.Field(u.replacement, "_id")
	if !old.IsZero() && !given.IsZero() && !compare.Equal(old, given, nil) {
		return nil, status.Errorf(errcode.ImmutableField,
			"After applying the update, the (immutable) field '_id' was found to have been altered to _id: %s", status.TextOf(given))
	}
	if err := u.checkReplacement(in.Insert); err != nil {
		return nil, err
	}
	if given.IsZero() {
		given = old
	}
	dst, start := bson.AppendDocumentStart(make([]byte, 0, len(u.replacement)+len(old.Value)+8))
	if !given.IsZero() {
		dst = bson.AppendRawValueElement(dst, "_id", given)
	}
	for key, v := range u.replacement.All() {
		if key == "_id" {
			continue
		}
		if t, i, ok := v.TimestampOK(); ok && t == 0 && i == 0 && !in.KeepTimestamps {
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

// Keeps reports whether a replacement leaves a document as it is. To a server, a replacement that omits the _id is a change even if
// all other fields stay the same.
func (u *Update) Keeps(doc bson.Raw) bool {
	return u.replacement == nil || bytes.Equal(u.replacement, doc)
}

// change applies an operator at one path.
func (a *application) change(c *change) error {
	s := a.root.reach(c.path)
	a.field = c.path.String()
	if s.isMissing() && !c.run.creates {
		if c.run.lenient || s.canCreateRest() {
			return nil
		}
		return status.Errorf(errcode.PathNotViable,
			"Cannot use the part (%s) of (%s) to traverse the element ({%s})", c.path[s.depth], c.path, s.stopText())
	}
	v, err := c.run.apply(a, s.old)
	if err != nil || v.Equal(s.old) {
		return err
	}
	if v.IsZero() {
		s.level.remove(c.path[s.depth])
		return a.keepID(c.path, s.depth, true)
	}
	if list, ok := appendedElements(c, s.old, v); ok {
		if err := a.checkNames(c.path, s, v); err != nil {
			return err
		}
		return s.level.extend(c.path[s.depth], list)
	}
	return a.put(c.path, s, v)
}

// appendedElements returns the elements that a $push added at the end of an array, if the other elements did not change. The
// oplog then records only the new elements.
func appendedElements(c *change, old, now bson.RawValue) ([]bson.RawValue, bool) {
	if !c.run.appends || old.Type != bsontype.Array {
		return nil, false
	}
	before, after := value.Elements(old), value.Elements(now)
	if len(after) <= len(before) || !slices.EqualFunc(before, after[:len(before)], bson.RawValue.Equal) {
		return nil, false
	}
	return after[len(before):], true
}

// put sets the value at a path. It creates the part of the path that the walk did not find.
func (a *application) put(p path.Path, s step, v bson.RawValue) error {
	if err := a.checkNames(p, s, v); err != nil {
		return err
	}
	switch {
	case !s.canCreateRest():
		return status.Errorf(errcode.PathNotViable, "Cannot create field '%s' in element {%s}", p[s.depth], s.stopText())
	case len(p) > depthMax:
		return status.Errorf(errcode.Overflow, "Document exceeds maximum nesting depth of %d", depthMax)
	}
	if err := s.make(p, v); err != nil {
		return err
	}
	return a.keepID(p, s.depth, !s.isMissing())
}

// keepID refuses to change _id. depth is the component at which the path ended, or from which it was created.
func (a *application) keepID(p path.Path, depth int, existed bool) error {
	switch {
	case p[0] != "_id" || !existed && depth == 0:
		return nil
	case existed:
		return status.Errorf(errcode.ImmutableField, "Performing an update on the path '%s' would modify the immutable field '_id'", p)
	}
	s := a.root.reach(p[:depth])
	return status.Errorf(errcode.ImmutableField,
		"Updating the path '%s' to %s: %s would modify the immutable field '_id'", p[:depth], p[depth-1], status.TextOf(s.old))
}

// checkNames refuses names that begin with a dollar: at the top level of a stored document and, before 5.0, anywhere in a
// new value.
func (a *application) checkNames(p path.Path, s step, v bson.RawValue) error {
	o := &a.update.options
	if !o.isModern() {
		return o.checkNoDollars(p.String(), v)
	}
	if s.depth == 0 && strings.HasPrefix(p[0], "$") && !isOfReference(p[0]) && !a.in.Insert {
		return o.refuseDollar(p[0], p[0])
	}
	return nil
}

func (o *Options) checkNoDollars(full string, v bson.RawValue) error {
	if v.Type != bsontype.EmbeddedDocument && v.Type != bsontype.Array {
		return nil
	}
	for key, e := range bson.Raw(v.Value).All() {
		if v.Type == bsontype.EmbeddedDocument && strings.HasPrefix(key, "$") && !isOfReference(key) {
			return o.refuseDollar(key, full+"."+key)
		}
		if err := o.checkNoDollars(full+"."+key, e); err != nil {
			return err
		}
	}
	return nil
}

// rename moves a value. Neither path may lead into an array.
func (a *application) rename(c *change) error {
	from := a.root.reach(c.source)
	switch {
	case from.isMissing() && from.depth > 0 && !from.canCreateRest():
		return status.Errorf(errcode.PathNotViable,
			"cannot use the part (%s of %s) to traverse the element ({%s})", c.source[from.depth-1], c.source, from.stopText())
	case from.isMissing():
		return nil
	}
	if err := a.checkNoArray("source", c.source, from); err != nil {
		return err
	}
	to := a.root.reach(c.path)
	if err := a.checkNoArray("destination", c.path, to); err != nil {
		return err
	}
	if to.isMissing() || !compare.Equal(from.old, to.old, nil) {
		if err := a.put(c.path, to, from.old); err != nil {
			return err
		}
	}
	from.level.remove(c.source[from.depth])
	if c.source[0] == "_id" {
		return status.Errorf(errcode.ImmutableField,
			"Unsetting the path '%s' using $rename would modify the immutable field '_id'", c.source)
	}
	return nil
}

func (a *application) checkNoArray(which string, p path.Path, s step) error {
	if s.array == "" {
		return nil
	}
	return status.Errorf(errcode.BadValue,
		"The %s field cannot be an array element, '%s' in doc with %s has an array field called '%s'", which, p, a.idText(), s.array)
}
