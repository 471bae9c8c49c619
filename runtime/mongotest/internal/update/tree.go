package update

import (
	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/runtime/mongotest/internal/path"
	"github.com/specdrivers/onion/runtime/mongotest/internal/status"
	"github.com/specdrivers/onion/runtime/mongotest/internal/value"
)

// level is a document or an array that is being changed. Values below it stay encoded until a path goes through them.
type level struct {
	elements []element
	array    bool
	changed  bool
}

type element struct {
	key   string
	value bson.RawValue
	sub   *level // the value taken apart, or nil
}

// paddingMax bounds the nulls that an array index beyond the end may add.
const paddingMax = 1_500_000

func newLevel(d bson.Raw, array bool) *level {
	l := &level{array: array}
	for key, v := range d.All() {
		l.elements = append(l.elements, element{key: key, value: v})
	}
	return l
}

// find is the position of a field or an array element, or -1.
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

// open takes the value of an element apart; nil when it is a scalar.
func (e *element) open() *level {
	if e.sub == nil && (e.value.Type == bsontype.EmbeddedDocument || e.value.Type == bsontype.Array) {
		e.sub = newLevel(bson.Raw(e.value.Value), e.value.Type == bsontype.Array)
	}
	return e.sub
}

// encoded is the element's value as bytes.
func (e *element) encoded() bson.RawValue {
	if e.sub != nil && e.sub.dirty() {
		e.value = e.sub.encode()
	}
	return e.value
}

func (l *level) dirty() bool {
	if l.changed {
		return true
	}
	for i := range l.elements {
		if sub := l.elements[i].sub; sub != nil && sub.dirty() {
			return true
		}
	}
	return false
}

func (l *level) encode() bson.RawValue {
	dst, start := bson.AppendDocumentStart(nil)
	for i := range l.elements {
		e := &l.elements[i]
		v := e.encoded()
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

// set puts a value at a name of this level.
func (l *level) set(name string, v bson.RawValue) error {
	i := l.find(name)
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
	l.elements[i].value, l.elements[i].sub = v, nil
	l.changed = true
	return nil
}

// remove takes a field away; an array element becomes null.
func (l *level) remove(name string) bool {
	i := l.find(name)
	if i < 0 {
		return false
	}
	l.changed = true
	if l.array {
		l.elements[i] = element{value: value.Null}
		return true
	}
	l.elements = append(l.elements[:i:i], l.elements[i+1:]...)
	return true
}

// walk goes to the level that holds the last component of a path. Without create it gives nil when the path ends early.
func (l *level) walk(p path.Path, create bool) (*level, error) {
	for i, name := range p[:len(p)-1] {
		at := l.find(name)
		if at < 0 {
			if !create {
				return nil, nil
			}
			if err := l.set(name, value.Document(value.EmptyDocument)); err != nil {
				return nil, err
			}
			at = l.find(name)
		}
		e := &l.elements[at]
		next := e.open()
		if next == nil {
			if !create {
				return nil, nil
			}
			return nil, notViable(p[i+1], name, e.encoded())
		}
		if next.array && !path.IsIndex(p[i+1]) {
			if !create {
				return nil, nil
			}
			return nil, notViable(p[i+1], name, e.encoded())
		}
		l = next
	}
	return l, nil
}

func notViable(name, parent string, v bson.RawValue) error {
	return status.Errorf(errcode.PathNotViable, "Cannot create field '%s' in element {%s: %s}", name, parent, status.TextOf(v))
}
