package diff

import (
	"slices"
	"strconv"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
)

// Changes collects the changes of one document or array.
type Changes struct {
	Array bool

	gone    []string
	changed []field
	added   []field
	inside  []field
	length  int
	cut     bool
}

type field struct {
	name  string
	value bson.RawValue
}

// Remove notes a field that is gone. One that was added before leaves no trace.
func (c *Changes) Remove(name string) {
	is := func(f field) bool { return f.name == name }
	if slices.ContainsFunc(c.added, is) {
		c.added = slices.DeleteFunc(c.added, is)
		return
	}
	c.changed = slices.DeleteFunc(c.changed, is)
	c.gone = append(c.gone, name)
}

// Set notes the value of a field, or of a position of an array.
func (c *Changes) Set(name string, v bson.RawValue, existed bool) {
	for _, list := range [...][]field{c.changed, c.added} {
		for i := range list {
			if list[i].name == name {
				list[i].value = v
				return
			}
		}
	}
	c.gone = slices.DeleteFunc(c.gone, func(s string) bool { return s == name })
	if existed || c.Array {
		c.changed = append(c.changed, field{name, v})
		return
	}
	c.added = append(c.added, field{name, v})
}

// Truncate notes that an array is shorter now.
func (c *Changes) Truncate(length int) { c.length, c.cut = length, true }

// Into notes the difference inside a field.
func (c *Changes) Into(name string, d bson.Raw) {
	c.inside = append(c.inside, field{name, bson.RawValue{Type: bsontype.EmbeddedDocument, Value: d}})
}

// Has reports whether a field has a new value as a whole.
func (c *Changes) Has(name string) bool {
	is := func(f field) bool { return f.name == name }
	return slices.ContainsFunc(c.added, is) || slices.ContainsFunc(c.changed, is)
}

// Document returns the difference.
func (c *Changes) Document() bson.Raw {
	dst, start := bson.AppendDocumentStart(nil)
	if c.Array {
		return bson.AppendDocumentEnd(c.appendArray(dst), start)
	}
	if len(c.gone) > 0 {
		var in int
		dst, in = bson.AppendDocumentElementStart(dst, "d")
		for _, name := range c.gone {
			dst = bson.AppendBooleanElement(dst, name, false)
		}
		dst = bson.AppendDocumentEnd(dst, in)
	}
	dst = appendFields(dst, "u", c.changed)
	dst = appendFields(dst, "i", c.added)
	for _, f := range c.inside {
		dst = bson.AppendRawValueElement(dst, "s"+f.name, f.value)
	}
	return bson.AppendDocumentEnd(dst, start)
}

func (c *Changes) appendArray(dst []byte) []byte {
	dst = bson.AppendBooleanElement(dst, "a", true)
	if c.cut {
		dst = bson.AppendInt32Element(dst, "l", int32(c.length))
	}
	for _, f := range c.changed {
		dst = bson.AppendRawValueElement(dst, "u"+f.name, f.value)
	}
	for _, f := range c.inside {
		dst = bson.AppendRawValueElement(dst, "s"+f.name, f.value)
	}
	return dst
}

func appendFields(dst []byte, key string, list []field) []byte {
	if len(list) == 0 {
		return dst
	}
	dst, start := bson.AppendDocumentElementStart(dst, key)
	for _, f := range list {
		dst = bson.AppendRawValueElement(dst, f.name, f.value)
	}
	return bson.AppendDocumentEnd(dst, start)
}

// Between returns the difference of two documents, or nil if it would not be smaller than the new version.
func Between(before, after bson.Raw) bson.Raw {
	d := diffDocuments(before, after)
	if len(d) >= len(after) {
		return nil
	}
	return d
}

type element struct {
	name  string
	value bson.RawValue
}

func elements(d bson.Raw) (list []element) {
	for key, v := range d.All() {
		list = append(list, element{key, v})
	}
	return list
}

// diffDocuments walks both versions side by side: a field that changed its place is gone and added again.
func diffDocuments(before, after bson.Raw) bson.Raw {
	c := &Changes{}
	old, now := elements(before), elements(after)
	var gone []string
	for len(old) > 0 && len(now) > 0 {
		if old[0].name != now[0].name {
			gone = append(gone, old[0].name)
			old = old[1:]
			continue
		}
		c.compare(now[0].name, old[0].value, now[0].value)
		old, now = old[1:], now[1:]
	}
	for _, e := range old {
		gone = append(gone, e.name)
	}
	for _, e := range now {
		c.Set(e.name, e.value, false)
	}
	for _, name := range gone {
		if !c.Has(name) {
			c.gone = append(c.gone, name)
		}
	}
	return c.Document()
}

func diffArrays(before, after bson.Raw) bson.Raw {
	c := &Changes{Array: true}
	old, now := elements(before), elements(after)
	for i, e := range now {
		if i < len(old) {
			c.compare(strconv.Itoa(i), old[i].value, e.value)
		} else {
			c.Set(strconv.Itoa(i), e.value, false)
		}
	}
	if len(now) < len(old) {
		c.Truncate(len(now))
	}
	return c.Document()
}

// compare notes the change of a field that both versions have.
func (c *Changes) compare(name string, old, now bson.RawValue) {
	if old.Equal(now) {
		return
	}
	if old.Type == now.Type {
		var d bson.Raw
		switch old.Type {
		case bsontype.EmbeddedDocument:
			d = diffDocuments(bson.Raw(old.Value), bson.Raw(now.Value))
		case bsontype.Array:
			d = diffArrays(bson.Raw(old.Value), bson.Raw(now.Value))
		}
		if d != nil && len(d) < len(now.Value) {
			c.Into(name, d)
			return
		}
	}
	c.Set(name, now, true)
}
