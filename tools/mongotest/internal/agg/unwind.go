package agg

import (
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/expr"
	"github.com/specdrivers/onion/tools/mongotest/internal/path"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

// unwinder is the stage $unwind.
type unwinder struct {
	path  path.Path
	keep  bool
	index path.Path
}

func compileUnwind(c *compiler, spec bson.RawValue) (stage, error) {
	name, ok := spec.StringOK()
	u := &unwinder{}
	if d, isDocument := spec.DocumentOK(); isDocument {
		for key, v := range d.All() {
			var err error
			switch key {
			case "path":
				if name, ok = v.StringOK(); !ok {
					return nil, status.Errorf(errcode.Location28808, "expected a string as the path for $unwind stage, got %s", v.Type)
				}
			case "preserveNullAndEmptyArrays":
				if u.keep, ok = v.BooleanOK(); !ok {
					return nil, status.Errorf(errcode.Location28809,
						"expected a boolean for the preserveNullAndEmptyArrays option to $unwind stage, got %s", v.Type)
				}
			case "includeArrayIndex":
				u.index, err = c.readIndexPath(v)
			default:
				err = status.Errorf(errcode.Location28811, "unrecognized option to $unwind stage: %s", key)
			}
			if err != nil {
				return nil, err
			}
		}
	} else if !ok {
		return nil, status.Errorf(errcode.Location15981,
			"expected either a string or an object as specification for $unwind stage, got %s", spec.Type)
	}
	switch {
	case name == "":
		return nil, status.Errorf(errcode.Location28812, "no path specified to $unwind stage")
	case !strings.HasPrefix(name, "$"):
		return nil, status.Errorf(errcode.Location28818, "path option to $unwind stage should be prefixed with a '$': %s", name)
	}
	var err error
	u.path, err = expr.CheckPath(name[1:], c.Scope)
	return u.run, err
}

func (c *compiler) readIndexPath(v bson.RawValue) (path.Path, error) {
	name, ok := v.StringOK()
	switch {
	case !ok || name == "":
		return nil, status.Errorf(28810, "expected a non-empty string for the includeArrayIndex  option to $unwind stage, got %s", v.Type)
	case name[0] == '$':
		return nil, status.Errorf(28822, "includeArrayIndex option to $unwind stage should not be prefixed with a '$': %s", name)
	}
	return expr.CheckPath(name, c.Scope)
}

func (u *unwinder) run(in Source) Source {
	var pending []bson.Raw
	return func() (bson.Raw, error) {
		for len(pending) == 0 {
			d, err := in()
			if d == nil || err != nil {
				return nil, err
			}
			pending = u.unwind(d)
		}
		d := pending[0]
		pending = pending[1:]
		return d, nil
	}
}

// unwind creates one document per element of the array at the path.
func (u *unwinder) unwind(d bson.Raw) []bson.Raw {
	v := valueAt(d, u.path)
	if v.Type != bsontype.Array {
		if value.IsNullish(v) && !u.keep {
			return nil
		}
		return []bson.Raw{u.addPosition(d, value.Null)}
	}
	list := value.Elements(v)
	if len(list) == 0 && u.keep {
		return []bson.Raw{u.addPosition(put(d, u.path, bson.RawValue{}), value.Null)}
	}
	out := make([]bson.Raw, len(list))
	for i, e := range list {
		out[i] = u.addPosition(put(d, u.path, e), value.Int64(int64(i)))
	}
	return out
}

// addPosition adds the index of the element.
func (u *unwinder) addPosition(d bson.Raw, n bson.RawValue) bson.Raw {
	if u.index == nil {
		return d
	}
	return put(d, u.index, n)
}

// valueAt returns the value at a path through documents. It does not look into arrays.
func valueAt(d bson.Raw, p path.Path) bson.RawValue {
	var v bson.RawValue
	for i, name := range p {
		if v = path.Field(d, name); i < len(p)-1 {
			var ok bool
			if d, ok = v.DocumentOK(); !ok {
				return bson.RawValue{}
			}
		}
	}
	return v
}

// Put replaces the value at a path through documents.
func Put(d bson.Raw, p path.Path, v bson.RawValue) bson.Raw { return put(d, p, v) }

// put replaces the value at a path through documents. A missing value removes the field.
func put(d bson.Raw, p path.Path, v bson.RawValue) bson.Raw {
	dst, start := bson.AppendDocumentStart(make([]byte, 0, len(d)+len(v.Value)+16))
	found := false
	for key, old := range d.All() {
		if key != p[0] {
			dst = bson.AppendRawValueElement(dst, key, old)
			continue
		}
		found = true
		dst = putValue(dst, p, old, v)
	}
	if !found {
		dst = putValue(dst, p, bson.RawValue{}, v)
	}
	return bson.AppendDocumentEnd(dst, start)
}

func putValue(dst []byte, p path.Path, old, v bson.RawValue) []byte {
	if len(p) > 1 {
		inner := value.EmptyDocument
		if old.Type == bsontype.EmbeddedDocument {
			inner = bson.Raw(old.Value)
		}
		return bson.AppendDocumentElement(dst, p[0], put(inner, p[1:], v))
	}
	if v.IsZero() {
		return dst
	}
	return bson.AppendRawValueElement(dst, p[0], v)
}

// wrap returns the document {name: v}.
func wrap(name string, v bson.RawValue) bson.RawValue {
	d, start := bson.AppendDocumentStart(nil)
	d = bson.AppendRawValueElement(d, name, v)
	return value.Document(bson.AppendDocumentEnd(d, start))
}
