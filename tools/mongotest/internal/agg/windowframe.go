package agg

import (
	"slices"
	gosort "sort"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/compare"
	"github.com/specdrivers/onion/tools/mongotest/internal/expr"
	"github.com/specdrivers/onion/tools/mongotest/internal/number"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

func sortBy[T any](list []T, compare func(a, b T) int) { slices.SortStableFunc(list, compare) }

// frame returns the documents of a window: from low up to high, which is exclusive.
type frame func(p *partition, at int) (low, high int, err error)

// bound is one end of a window: unbounded, or at a distance from the current document.
type bound struct {
	unbounded bool
	current   bool // the document itself, without others of the same sort key
	amount    bson.RawValue
}

// readFrame reads a window. The default is the whole partition.
func (w *windows) readFrame(v bson.RawValue) (frame, error) {
	d, _ := v.DocumentOK()
	documents, ranged, unit := d.Lookup("documents"), d.Lookup("range"), d.Lookup("unit")
	for key := range d.All() {
		if key != "documents" && key != "range" && key != "unit" {
			return nil, status.Errorf(errcode.FailedToParse,
				"'window' field can only contain 'documents', 'range' or 'unit', found: %s", key)
		}
	}
	switch {
	case !documents.IsZero() && !ranged.IsZero():
		return nil, status.Errorf(errcode.FailedToParse, "Window bounds can specify either 'documents' or 'unit', not both.")
	case !unit.IsZero() && ranged.IsZero():
		return nil, status.Errorf(errcode.FailedToParse, "Window bounds can only specify 'unit' with range-based bounds.")
	case documents.IsZero() && ranged.IsZero():
		return func(p *partition, _ int) (int, int, error) { return 0, len(p.docs), nil }, nil
	case !documents.IsZero():
		return w.compileByDocuments(documents)
	}
	return w.compileByRange(ranged, unit)
}

// slides reports whether a window leaves documents behind.
func slides(bounds bson.RawValue) bool {
	d, _ := bounds.DocumentOK()
	for _, kind := range [...]string{"documents", "range"} {
		if list := value.Elements(d.Lookup(kind)); len(list) > 0 {
			return value.Text(list[0]) != "unbounded"
		}
	}
	return false
}

// readEnds reads [lower, upper].
func (w *windows) readEnds(v bson.RawValue) (low, high bound, err error) {
	list := value.Elements(v)
	if v.Type != bsontype.Array || len(list) != 2 {
		return low, high, status.Errorf(errcode.FailedToParse, "Window bounds must be a 2-element array: %s", status.TextOf(v))
	}
	read := func(e bson.RawValue) (bound, error) {
		switch s, isText := e.StringOK(); {
		case s == "unbounded":
			return bound{unbounded: true}, nil
		case s == "current":
			return bound{amount: value.Int32(0), current: true}, nil
		case isExpression(e):
			node, err := expr.Compile(e, w.c.Scope)
			if err != nil {
				return bound{}, err
			}
			if node.Constant() {
				if e, err = node.Eval(value.EmptyDocument); err != nil {
					return bound{}, err
				}
			}
			if number.Is(e.Type) {
				return bound{amount: e}, nil
			}
			fallthrough
		case isText, !number.Is(e.Type):
			return bound{}, status.Errorf(errcode.FailedToParse, "Window bounds must be 'unbounded', 'current', or a number.")
		}
		return bound{amount: e}, nil
	}
	if low, err = read(list[0]); err == nil {
		high, err = read(list[1])
	}
	if err == nil && !low.unbounded && !high.unbounded && number.Compare(low.amount, high.amount) > 0 {
		err = status.Errorf(5339900, "Lower bound must not exceed upper bound: %s", status.TextOf(v))
	}
	return low, high, err
}

func (w *windows) compileByDocuments(v bson.RawValue) (frame, error) {
	low, high, err := w.readEnds(v)
	if err != nil {
		return nil, err
	}
	whole := low.unbounded && high.unbounded
	if w.order == nil && !whole {
		return nil, status.Errorf(5339901, "Document-based bounds require a sortBy")
	}
	for _, b := range [...]bound{low, high} {
		if _, ok := number.ExactInt64(b.amount); !b.unbounded && !ok {
			return nil, status.Errorf(errcode.FailedToParse, "Numeric document-based bounds must be an integer")
		}
	}
	from, _ := number.TruncateInt64(low.amount)
	to, _ := number.TruncateInt64(high.amount)
	return func(p *partition, at int) (int, int, error) {
		first, last := 0, len(p.docs)
		if !low.unbounded {
			first = min(max(at+int(from), 0), len(p.docs))
		}
		if !high.unbounded {
			last = min(max(at+int(to)+1, 0), len(p.docs))
		}
		return first, max(first, last), nil
	}, nil
}

// compileByRange compiles a window that measures the distance between sort keys.
func (w *windows) compileByRange(v, unit bson.RawValue) (frame, error) {
	low, high, err := w.readEnds(v)
	switch {
	case err != nil:
		return nil, err
	case w.order == nil || len(w.order.Fields) != 1:
		return nil, status.Errorf(5339902, "Range-based bounds require sortBy a single field")
	case w.order.Fields[0].Descending:
		return nil, status.Errorf(8947401, "Range-based bounds require a non-descending sortBy")
	}
	name, err := readRangeUnit(unit, low, high)
	if err != nil {
		return nil, err
	}
	field := w.order.Fields[0].Name
	position, err := expr.Compile(value.String("$"+field), w.c.Scope)
	if err != nil {
		return nil, err
	}
	return func(p *partition, at int) (int, int, error) {
		current, err := position.Eval(p.docs[at])
		if err != nil {
			return 0, 0, err
		}
		if err := checkRange(current, name); err != nil {
			return 0, 0, err
		}
		// search finds the first document whose value reaches the limit, or exceeds it if beyond is set.
		search := func(limit bson.RawValue, beyond bool) int {
			return gosort.Search(len(p.docs), func(i int) bool {
				v, _ := position.Eval(p.docs[i])
				if v.IsZero() {
					v = value.Null
				}
				n := compare.Values(v, limit, nil)
				return n > 0 || n == 0 && !beyond
			})
		}
		first, last := 0, len(p.docs)
		switch {
		case low.current:
			first = at
		case !low.unbounded:
			first = search(shift(current, low.amount, name), false)
		}
		switch {
		case high.current:
			last = at + 1
		case !high.unbounded:
			last = search(shift(current, high.amount, name), true)
		}
		return first, max(first, last), nil
	}, nil
}

// readRangeUnit reads the unit of a range of time, whose bounds have no fraction.
func readRangeUnit(unit bson.RawValue, ends ...bound) (string, error) {
	if unit.IsZero() {
		return "", nil
	}
	if err := checkWindowUnit("$setWindowFields", unit); err != nil {
		return "", err
	}
	for _, b := range ends {
		if _, ok := number.ExactInt64(b.amount); !b.unbounded && !ok {
			return "", status.Errorf(errcode.FailedToParse, "With 'unit', range-based bounds must be an integer")
		}
	}
	return value.Text(unit), nil
}

// checkWindowUnit is expr.CheckUnit for windows, where a value that is not a string has the code of an unknown unit.
func checkWindowUnit(op string, unit bson.RawValue) error {
	if unit.Type != bsontype.String {
		return status.Errorf(errcode.FailedToParse, "'unit' must be a string, but got %s", value.TypeName(unit))
	}
	return expr.CheckUnit(op, unit)
}

// checkRange refuses a value that a range cannot be measured from.
func checkRange(v bson.RawValue, unit string) error {
	switch {
	case unit != "" && v.Type != bsontype.DateTime:
		return status.Errorf(5429513, "Invalid range: Expected the sortBy field to be a Date, but it was %s", value.TypeName(v))
	case unit == "" && v.Type == bsontype.DateTime:
		return status.Errorf(5429413, "For windows that involve date or time ranges, a unit must be provided.")
	case unit == "" && !number.Is(v.Type):
		return status.Errorf(5429414, "Invalid range: Expected the sortBy field to be a number, but it was %s", value.TypeName(v))
	}
	return nil
}

// shift returns the value at a distance from v.
func shift(v, amount bson.RawValue, unit string) bson.RawValue {
	if unit == "" {
		sum, _ := number.Add(v, amount)
		return sum
	}
	ms, _ := v.DateTimeOK()
	n, _ := number.TruncateInt64(amount)
	at, err := expr.AddUnits(ms, unit, n)
	if err != nil {
		return v
	}
	return value.DateTime(at)
}
