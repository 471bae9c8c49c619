package agg

import (
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/compare"
	"github.com/specdrivers/onion/tools/mongotest/internal/expr"
	"github.com/specdrivers/onion/tools/mongotest/internal/number"
	"github.com/specdrivers/onion/tools/mongotest/internal/path"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

// densifyMax limits how many documents one $densify creates.
const densifyMax = 500_000

// densifier is the stage $densify.
type densifier struct {
	field   path.Path
	by      []path.Path
	step    bson.RawValue
	unit    string
	full    bool          // fill every partition over the range of all documents
	low     bson.RawValue // explicit bounds; zero takes the bounds from the documents
	high    bson.RawValue // exclusive
	created int
}

func compileDensify(c *compiler, spec bson.RawValue) (stage, error) {
	d, ok := spec.DocumentOK()
	if !ok {
		return nil, status.Errorf(5733200, "The $densify stage specification must be an object, found %s", value.TypeName(spec))
	}
	z := &densifier{}
	for key, v := range d.All() {
		if err := z.readOption(c, key, v); err != nil {
			return nil, err
		}
	}
	switch {
	case z.field == nil:
		return nil, status.Errorf(errcode.Location40414, "BSON field '$densify.field' is missing but a required field")
	case z.step.IsZero():
		return nil, status.Errorf(errcode.Location40414, "BSON field '$densify.range' is missing but a required field")
	}
	for _, by := range z.by {
		if by.String() == z.field.String() || strings.HasPrefix(by.String(), z.field.String()+".") {
			return nil, status.Errorf(8993000, "BSON field '$densify.partitionByFields' contains the field that is being densified")
		}
	}
	return wholeStage(func(docs []bson.Raw) ([]bson.Raw, error) {
		run := *z
		return run.run(docs)
	}), nil
}

func (z *densifier) readOption(c *compiler, key string, v bson.RawValue) (err error) {
	switch key {
	case "field":
		name, ok := v.StringOK()
		if !ok {
			return status.Errorf(errcode.TypeMismatch, "BSON field '$densify.field' is the wrong type '%s', expected type 'string'", v.Type)
		}
		z.field, err = expr.CheckPath(name, c.Scope)
	case "partitionByFields":
		if _, err := partitionFields("$densify", v); err != nil {
			return err
		}
		for _, e := range value.Elements(v) {
			z.by = append(z.by, path.Parse(value.Text(e)))
		}
	case "range":
		d, ok := v.DocumentOK()
		if !ok {
			return status.Errorf(errcode.TypeMismatch, "BSON field '$densify.range' is the wrong type '%s', expected type 'object'", v.Type)
		}
		return z.readRange(d)
	default:
		return status.Errorf(errcode.Location40415, "BSON field '$densify.%s' is an unknown field.", key)
	}
	return err
}

func (z *densifier) readRange(d bson.Raw) error {
	for key, v := range d.All() {
		switch key {
		case "step":
			z.step = v
		case "unit":
			if v.Type != bsontype.String {
				return status.Errorf(errcode.TypeMismatch,
					"BSON field '$densify.range.unit' is the wrong type '%s', expected type 'string'", v.Type)
			}
			if err := expr.CheckUnit("$densify", v); err != nil {
				return err
			}
			z.unit = value.Text(v)
		case "bounds":
		default:
			return status.Errorf(errcode.Location40415, "BSON field '$densify.range.%s' is an unknown field.", key)
		}
	}
	_, whole := number.ExactInt64(z.step)
	switch {
	case z.step.IsZero():
		return status.Errorf(errcode.Location40414, "BSON field '$densify.range.step' is missing but a required field")
	case d.Lookup("bounds").IsZero():
		return status.Errorf(errcode.Location40414, "BSON field '$densify.range.bounds' is missing but a required field")
	case !number.Is(z.step.Type):
		return status.Errorf(errcode.TypeMismatch,
			"BSON field '$densify.range.step' is the wrong type '%s', expected types '[int, long, double, decimal]'", z.step.Type)
	case number.Float64(z.step) <= 0:
		return status.Errorf(5733401, "The step parameter in a range statement must be a strictly positive numeric value")
	case z.unit != "" && !whole:
		return status.Errorf(6586400, "The step parameter in a range satement must be a whole number when densifying a date range")
	}
	return z.readBounds(d.Lookup("bounds"))
}

func (z *densifier) readBounds(v bson.RawValue) error {
	list := value.Elements(v)
	switch s, isText := v.StringOK(); {
	case s == "full", s == "partition":
		z.full = s == "full"
		return nil
	case isText:
		return status.Errorf(5946802, "Bounds string must either be 'full' or 'partition'")
	case v.Type != bsontype.Array:
		return status.Errorf(5733404,
			"The bounds in a range statement must be the string 'full', 'partition', or an ascending array of two numbers or two dates")
	case len(list) != 2:
		return status.Errorf(5733403, "A bounding array in a range statement must have exactly two elements")
	case compare.Values(list[0], list[1], nil) >= 0:
		return status.Errorf(5733402,
			"the bounds in a range statement must be the string 'full', 'partition', or an ascending array of two numbers or two dates")
	}
	for _, e := range list {
		if err := z.check(e); err != nil {
			return err
		}
	}
	z.low, z.high = list[0], list[1]
	return nil
}

// check refuses a value of a type that the step cannot be added to.
func (z *densifier) check(v bson.RawValue) error {
	switch {
	case z.unit != "" && v.Type != bsontype.DateTime:
		return status.Errorf(6053600, "$densify with a unit needs dates, found %s", value.TypeName(v))
	case z.unit == "" && v.Type == bsontype.DateTime:
		return status.Errorf(6053600, "$densify over dates needs a unit")
	case z.unit == "" && !number.Is(v.Type):
		return status.Errorf(5733201, "Densify field type must be numeric, found %s", value.TypeName(v))
	}
	return nil
}

// lane is one partition, with its documents sorted by the field.
type lane struct {
	values []bson.RawValue
	docs   []bson.Raw
}

func (z *densifier) run(docs []bson.Raw) ([]bson.Raw, error) {
	lanes, out, err := z.split(docs)
	if err != nil {
		return nil, err
	}
	var least, most bson.RawValue
	for _, l := range lanes {
		first, last := l.values[0], l.values[len(l.values)-1]
		if least.IsZero() || compare.Values(first, least, nil) < 0 {
			least = first
		}
		if most.IsZero() || compare.Values(last, most, nil) > 0 {
			most = last
		}
	}
	if len(lanes) == 0 && len(docs) == len(out) && !z.low.IsZero() && len(z.by) == 0 {
		lanes = []*lane{{}} // explicit bounds are filled even without any document
	}
	for _, l := range lanes {
		low, high, included := z.low, z.high, false
		if z.low.IsZero() {
			low, high, included = least, most, true
			if !z.full {
				low, high = l.values[0], l.values[len(l.values)-1]
			}
		}
		if out, err = z.fillLane(l, low, high, included, out); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// split divides the documents into partitions. Documents without the field come first and stay unchanged.
func (z *densifier) split(docs []bson.Raw) (lanes []*lane, without []bson.Raw, err error) {
	byKey := map[string]*lane{}
	for _, d := range docs {
		v := valueAt(d, z.field)
		if value.IsNullish(v) {
			without = append(without, d)
			continue
		}
		if err := z.check(v); err != nil {
			return nil, nil, err
		}
		var key []byte
		for _, p := range z.by {
			e := valueAt(d, p)
			if e.IsZero() {
				e = value.Null
			}
			key = compare.AppendKey(key, e, nil)
		}
		l := byKey[string(key)]
		if l == nil {
			l = &lane{}
			byKey[string(key)], lanes = l, append(lanes, l)
		}
		l.docs, l.values = append(l.docs, d), append(l.values, v)
	}
	for _, l := range lanes {
		l.sort(z.field)
	}
	return lanes, without, nil
}

func (l *lane) sort(field path.Path) {
	sortBy(l.docs, func(a, b bson.Raw) int { return compare.Values(valueAt(a, field), valueAt(b, field), nil) })
	sortBy(l.values, func(a, b bson.RawValue) int { return compare.Values(a, b, nil) })
}

// fillLane emits the documents of a partition. Where no document has the value of a step from low on, it adds a new one.
func (z *densifier) fillLane(l *lane, low, high bson.RawValue, included bool, out []bson.Raw) ([]bson.Raw, error) {
	next, steps := low, int64(0)
	at := 0
	for {
		n := compare.Values(next, high, nil)
		done := n > 0 || n == 0 && !included
		if at < len(l.docs) && (done || compare.Values(l.values[at], next, nil) <= 0) {
			same := compare.Values(l.values[at], next, nil) == 0
			out = append(out, l.docs[at])
			at++
			if done || !same || at < len(l.docs) && compare.Values(l.values[at], next, nil) == 0 {
				continue
			}
		} else if done {
			return out, nil
		} else {
			if z.created++; z.created > densifyMax {
				return nil, status.Errorf(5897900,
					"Generated %d documents in $densify, which is over the limit of %d.", z.created, densifyMax)
			}
			out = append(out, z.make(l, next))
		}
		steps++
		var err error
		if next, err = z.addSteps(low, steps); err != nil {
			return nil, err
		}
	}
}

// addSteps returns the value that lies the given number of steps above the lowest one. It counts months from the lowest
// value, so the day of the month is preserved.
func (z *densifier) addSteps(low bson.RawValue, steps int64) (bson.RawValue, error) {
	if z.unit == "" {
		distance, _ := number.Multiply(z.step, value.Integer(steps))
		sum, _ := number.Add(low, distance)
		return sum, nil
	}
	ms, _ := low.DateTimeOK()
	n, _ := number.TruncateInt64(z.step)
	at, err := expr.AddUnits(ms, z.unit, n*steps)
	return value.DateTime(at), err
}

// make creates a document from the fields of the partition and the value.
func (z *densifier) make(l *lane, v bson.RawValue) bson.Raw {
	d := value.EmptyDocument
	for _, p := range z.by {
		if len(l.docs) > 0 && !strings.HasPrefix(p.String()+".", z.field.String()+".") {
			if e := valueAt(l.docs[0], p); !e.IsZero() {
				d = put(d, p, e)
			}
		}
	}
	return put(d, z.field, v)
}
