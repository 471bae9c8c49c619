package project

import (
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/expr"
	"github.com/specdrivers/onion/tools/mongotest/internal/number"
	"github.com/specdrivers/onion/tools/mongotest/internal/query"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

// translateLegacy checks the projection of a find as servers before 4.4 do, and translates it to the language of 4.4. Values
// that are not numbers include or exclude too. If one path leads through another, the last one counts.
func translateLegacy(spec bson.Raw, f *query.Filter) (bson.Raw, error) {
	l := &oldProjection{filter: f}
	dst, start := bson.AppendDocumentStart(nil)
	for name, v := range spec.All() {
		d, isDocument := v.DocumentOK()
		if isDocument {
			if err := l.readOperator(name, d); err != nil {
				return nil, err
			}
		} else {
			if err := l.readFlag(name, value.IsTruthy(v)); err != nil {
				return nil, err
			}
			v = value.Bool(value.IsTruthy(v))
		}
		if crossesLaterPath(spec, name) {
			continue
		}
		if before, _, ok := strings.Cut(name, ".$"); ok && isPositional(name) {
			name = before + ".$" // the part after the operator never had a meaning
		}
		dst = bson.AppendRawValueElement(dst, name, v)
	}
	return bson.AppendDocumentEnd(dst, start), nil
}

func isPositional(name string) bool {
	return strings.Contains(name, ".$") &&
		!strings.Contains(name, ".$ref") && !strings.Contains(name, ".$id") && !strings.Contains(name, ".$db")
}

// crossesLaterPath reports whether a later path of the specification lies above or below name.
func crossesLaterPath(spec bson.Raw, name string) bool {
	passed := false
	for other := range spec.All() {
		if passed && (strings.HasPrefix(other, name+".") || strings.HasPrefix(name, other+".")) {
			return true
		}
		passed = passed || other == name
	}
	return false
}

type oldProjection struct {
	filter                *query.Filter
	mode                  mode
	positional, elemMatch bool
}

func (l *oldProjection) readFlag(name string, include bool) error {
	if name != "_id" || include {
		m := exclusion
		if include {
			m = inclusion
		}
		if l.mode == undecided {
			l.mode = m
		}
		if l.mode != m {
			return status.Errorf(errcode.BadValue, "Projection cannot have a mix of inclusion and exclusion.")
		}
	}
	if !isPositional(name) {
		return nil
	}
	_, after, _ := strings.Cut(name, ".$")
	field, _, _ := strings.Cut(name, ".")
	switch {
	case !include:
		return status.Errorf(errcode.BadValue, "Cannot exclude array elements with the positional operator.")
	case l.positional:
		return status.Errorf(errcode.BadValue, "Cannot specify more than one positional proj. per query.")
	case l.elemMatch:
		return status.Errorf(errcode.BadValue, "Cannot specify positional operator and $elemMatch.")
	case strings.Contains(after, ".$"):
		return status.Errorf(errcode.BadValue, "Positional projection '%s' contains the positional operator more than once.", name)
	case !l.filter.Names(field):
		return status.Errorf(errcode.BadValue, "Positional projection '%s' does not match the query document.", name)
	}
	l.positional = true
	return nil
}

func (l *oldProjection) readOperator(name string, d bson.Raw) error {
	first, _ := d.Index(0)
	v := first.Value
	switch {
	case d.Len() != 1:
		return status.Errorf(errcode.BadValue, ">1 field in obj: %s", status.Text(d))
	case first.Key == "$slice":
		return checkOldSlice(v)
	case first.Key == "$elemMatch" && v.Type != bsontype.EmbeddedDocument:
		return status.Errorf(errcode.BadValue, "elemMatch: Invalid argument, object required.")
	case first.Key == "$elemMatch" && l.positional:
		return status.Errorf(errcode.BadValue, "Cannot specify positional operator and $elemMatch.")
	case first.Key == "$elemMatch" && strings.Contains(name, "."):
		return status.Errorf(errcode.BadValue, "Cannot use $elemMatch projection on a nested field.")
	case first.Key == "$elemMatch":
		l.elemMatch = true
		return nil
	case first.Key == "$meta" && strings.Contains(name, "."):
		return status.Errorf(errcode.BadValue, "field for $meta cannot be nested")
	case first.Key == "$meta":
		_, err := expr.CheckMeta(v)
		return err
	}
	return status.Errorf(errcode.BadValue, "Unsupported projection option: %s: %s", name, status.Text(d))
}

func checkOldSlice(v bson.RawValue) error {
	list := value.Elements(v)
	switch {
	case number.Is(v.Type):
		return nil
	case v.Type != bsontype.Array:
		return status.Errorf(errcode.BadValue, "$slice only supports numbers and [skip, limit] arrays")
	case len(list) != 2:
		return status.Errorf(errcode.BadValue, "$slice array wrong size")
	case !number.Is(list[1].Type) || clamp(list[1]) <= 0:
		return status.Errorf(errcode.BadValue, "$slice limit must be positive")
	}
	return nil
}
