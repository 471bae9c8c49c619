package update

import (
	"strconv"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/diff"
	"github.com/specdrivers/onion/tools/mongotest/internal/path"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

// level is a document or an array that is being changed. Its values stay encoded until a path leads into them.
type level struct {
	elements []element
	array    bool
	changes  *diff.Changes // nil until something at this level changes
}

type element struct {
	key   string
	value bson.RawValue
	sub   *level // the decoded value, or nil
}

// paddingMax limits how many nulls an array index beyond the end may add.
const paddingMax = 1_500_000

func newLevel(d bson.Raw, array bool) *level {
	l := &level{array: array}
	for key, v := range d.All() {
		l.elements = append(l.elements, element{key: key, value: v})
	}
	return l
}

// find returns the position of a field or an array element, or -1.
func (l *level) find(name string) int {
	if l.array {
		if i := path.Index(name); i >= 0 && i < len(l.elements) {
			return i
		}
		return -1
	}
	for i := range l.elements {
		if l.elements[i].key == name {
			return i
		}
	}
	return -1
}

// open decodes the value of an element. It returns nil for a scalar.
func (e *element) open() *level {
	if e.sub == nil && (e.value.Type == bsontype.EmbeddedDocument || e.value.Type == bsontype.Array) {
		e.sub = newLevel(bson.Raw(e.value.Value), e.value.Type == bsontype.Array)
	}
	return e.sub
}

// encode returns the element's value as bytes.
func (e *element) encode() bson.RawValue {
	if e.sub != nil && e.sub.isDirty() {
		e.value = e.sub.encode()
	}
	return e.value
}

func (l *level) isDirty() bool {
	if l.changes != nil {
		return true
	}
	for i := range l.elements {
		if sub := l.elements[i].sub; sub != nil && sub.isDirty() {
			return true
		}
	}
	return false
}

func (l *level) encode() bson.RawValue {
	dst, start := bson.AppendDocumentStart(nil)
	for i := range l.elements {
		e := &l.elements[i]
		v := e.encode()
		if l.array {
			dst = value.AppendIndexed(dst, i, v)
		} else {
			dst = bson.AppendRawValueElement(dst, e.key, v)
		}
	}
	t := bsontype.EmbeddedDocument
	if l.array {
		t = bsontype.Array
	}
	return bson.RawValue{Type: t, Value: bson.AppendDocumentEnd(dst, start)}
}

// note returns the record of this level's changes, and creates it if needed.
func (l *level) note() *diff.Changes {
	if l.changes == nil {
		l.changes = &diff.Changes{Array: l.array}
	}
	return l.changes
}

// diff returns the difference made by the changes at this level and below.
func (l *level) diff() bson.Raw {
	c := l.note()
	for i := range l.elements {
		e := &l.elements[i]
		if e.sub == nil || !e.sub.isDirty() {
			continue
		}
		name := e.key
		if l.array {
			name = strconv.Itoa(i)
		}
		c.Into(name, e.sub.diff())
	}
	return c.Document()
}

// set stores a value under a name at this level.
func (l *level) set(name string, v bson.RawValue) error {
	i := l.find(name)
	existed := i >= 0
	if i < 0 && l.array {
		at := path.Index(name)
		if at-len(l.elements) > paddingMax {
			return status.Errorf(errcode.CannotBackfillArray, "can't backfill more than %d elements", paddingMax)
		}
		for len(l.elements) <= at {
			l.elements = append(l.elements, element{value: value.Null})
		}
		i = at
	}
	if i < 0 {
		l.elements = append(l.elements, element{key: name})
		i = len(l.elements) - 1
	}
	l.note().Set(name, v, existed)
	l.elements[i].value, l.elements[i].sub = v, nil
	return nil
}

// extend appends elements to the array in a field.
func (l *level) extend(name string, list []bson.RawValue) error {
	array := l.elements[l.find(name)].open()
	for _, v := range list {
		if err := array.set(strconv.Itoa(len(array.elements)), v); err != nil {
			return err
		}
	}
	return nil
}

// remove deletes a field. In an array it sets the element to null.
func (l *level) remove(name string) bool {
	i := l.find(name)
	if i < 0 {
		return false
	}
	if l.array {
		l.note().Set(name, value.Null, true)
		l.elements[i] = element{value: value.Null}
		return true
	}
	l.note().Remove(name)
	l.elements = append(l.elements[:i:i], l.elements[i+1:]...)
	return true
}

// step is where the walk along a path ends: at the last component, or at the first missing one.
type step struct {
	level   *level        // the level that has or lacks the component; nil below a scalar
	depth   int           // the index of the component
	old     bson.RawValue // the value at the end of the path
	parent  string        // the name of the element where the walk stopped
	blocked bson.RawValue // that element's value, if the path cannot continue through it
	array   string        // the name of the innermost array on the path, before the component
}

// isMissing reports whether there is no value at the end of the path.
func (s *step) isMissing() bool { return s.old.IsZero() }

// canCreateRest reports whether the rest of the path can be created.
func (s *step) canCreateRest() bool { return s.blocked.IsZero() }

// stopText prints the element that the path cannot continue through.
func (s *step) stopText() string { return s.parent + ": " + status.TextOf(s.blocked) }

// reach follows a path as far as it exists.
func (l *level) reach(p path.Path) step {
	s := step{level: l}
	for i, name := range p {
		s.depth = i
		at := s.level.find(name)
		if at < 0 {
			if s.level.array && path.Index(name) < 0 {
				s.blocked = s.level.encode()
			}
			return s
		}
		e := &s.level.elements[at]
		if i == len(p)-1 {
			s.old = e.encode()
			return s
		}
		s.parent = name
		next := e.open()
		if next == nil {
			s.level, s.depth, s.blocked = nil, i+1, e.encode()
			return s
		}
		if s.level = next; next.array {
			s.array = name
		}
	}
	return s
}

// make sets the value at a path and creates the documents that lead to it.
func (s *step) make(p path.Path, v bson.RawValue) error {
	for i := len(p) - 1; i > s.depth; i-- {
		d, start := bson.AppendDocumentStart(nil)
		d = bson.AppendRawValueElement(d, p[i], v)
		v = value.Document(bson.AppendDocumentEnd(d, start))
	}
	return s.level.set(p[s.depth], v)
}
