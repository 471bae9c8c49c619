package agg

import (
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/collate"
	"github.com/specdrivers/onion/tools/mongotest/internal/compare"
	"github.com/specdrivers/onion/tools/mongotest/internal/expr"
	"github.com/specdrivers/onion/tools/mongotest/internal/order"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

// accumulator computes one output field of a group.
type accumulator struct {
	name string
	op   string
	arg  expr.Node
	n    *expr.Node   // how many values to give; nil for accumulators that give one
	by   *order.Order // the sort order of $top, $topN, $bottom and $bottomN
	rank *expr.Percentiles
	code *scriptedFunctions // the functions of $accumulator
}

// since holds the wire version of the first server with each accumulator; 0 means that 4.2 already has it.
var since = map[string]int32{
	"$sum": 0, "$avg": 0, "$min": 0, "$max": 0, "$stdDevPop": 0, "$stdDevSamp": 0, "$first": 0, "$last": 0, "$push": 0,
	"$addToSet": 0, "$mergeObjects": 0, "$count": wire.Server50, "$firstN": wire.Server52, "$lastN": wire.Server52,
	"$minN": wire.Server52, "$maxN": wire.Server52,
	"$top": wire.Server52, "$topN": wire.Server52, "$bottom": wire.Server52, "$bottomN": wire.Server52,
	"$median": wire.Server70, "$percentile": wire.Server70,
	"$concatArrays": wire.Server81, "$setUnion": wire.Server81,
}

func errUnknownAccumulator(op string) error {
	note := ""
	if op == "$accumulator" {
		note = " (mongotest does not have it)"
	}
	return status.Errorf(errcode.Location15952, "unknown group operator '%s'%s", op, note)
}

func (c *compiler) compileAccumulator(name string, v bson.RawValue) (accumulator, error) {
	return c.compileAccumulatorOf(name, v, false)
}

// compileAccumulatorOf compiles an accumulator. In a window its operand may be a list.
func (c *compiler) compileAccumulatorOf(name string, v bson.RawValue, inWindow bool) (a accumulator, err error) {
	d, ok := v.DocumentOK()
	e, _ := d.Index(0)
	version, known := since[e.Key]
	switch {
	case !ok || !strings.HasPrefix(e.Key, "$"):
		return a, status.Errorf(errcode.Location40234, "The field '%s' must be an accumulator object", name)
	case strings.Contains(name, "."):
		return a, status.Errorf(errcode.Location40235, "The field name '%s' cannot contain '.'", name)
	case strings.HasPrefix(name, "$"):
		return a, status.Errorf(40236, "The field name '%s' cannot be an operator name", name)
	case d.Len() > 1:
		return a, status.Errorf(40238, "The field '%s' must specify one accumulator", name)
	case e.Value.Type == bsontype.Array && !inWindow:
		return a, status.Errorf(40237, "The %s accumulator is a unary operator", e.Key)
	case e.Key == "$accumulator" && c.Scope.Engine() != nil && c.Scope.Wire() >= wire.Server44:
		a = accumulator{name: name, op: e.Key}
		a.code, err = c.compileFunctions(e.Value)
		return a, err
	case !known || version > c.Scope.Wire():
		return a, errUnknownAccumulator(e.Key)
	}
	a = accumulator{name: name, op: e.Key}
	switch {
	case a.op == "$count":
		if inner, ok := e.Value.DocumentOK(); !ok || inner.Len() > 0 {
			return a, status.Errorf(errcode.TypeMismatch, "$count takes no arguments, i.e. $count:{}")
		}
		a.arg, err = expr.Compile(value.Int32(1), c.Scope)
	case expr.IsPercentile(a.op):
		a.rank = new(expr.Percentiles)
		*a.rank, a.arg, err = expr.PercentileArguments(a.op, e.Value, c.Scope)
	case expr.IsMany(a.op):
		a.n = new(expr.Node)
		*a.n, a.arg, err = expr.ManyArguments(a.op, e.Value, c.Scope)
	case strings.HasPrefix(a.op, "$top") || strings.HasPrefix(a.op, "$bottom"):
		err = c.readOrdered(&a, e.Value)
	default:
		a.arg, err = expr.Compile(e.Value, c.Scope)
	}
	return a, err
}

// readOrdered reads {n, output, sortBy}. Only $topN and $bottomN take n.
func (c *compiler) readOrdered(a *accumulator, spec bson.RawValue) error {
	d, ok := spec.DocumentOK()
	if !ok {
		return status.Errorf(5788001, "specification must be an object; found %s: %s", a.op, status.TextOf(spec))
	}
	many := strings.HasSuffix(a.op, "N")
	n := value.Int32(1)
	if many {
		n = d.Lookup("n")
	}
	for key := range d.All() {
		if key != "output" && key != "sortBy" && (key != "n" || !many) {
			return status.Errorf(5788002, "Unknown argument to %s '%s'", a.op, key)
		}
	}
	by, ok := d.Lookup("sortBy").DocumentOK()
	switch {
	case n.IsZero():
		return status.Errorf(5788003, "Missing value for 'n'")
	case d.Lookup("output").IsZero():
		return status.Errorf(5788004, "Missing value for 'output'")
	case d.Lookup("sortBy").IsZero():
		return status.Errorf(5788005, "Missing value for 'sortBy'")
	case !ok:
		return status.Errorf(10065, "invalid parameter: expected an object (sortBy)")
	}
	node, err := expr.Compile(n, c.Scope)
	if err != nil {
		return err
	}
	a.n = &node
	if a.arg, err = expr.Compile(d.Lookup("output"), c.Scope); err != nil {
		return err
	}
	if a.by, err = order.Parse(by, c.Scope.Collation); err == nil && a.by == nil {
		err = status.Errorf(errcode.Location15976, "$sort stage must have at least one sort key")
	}
	return err
}

// start creates the state for one group. The number of values may depend on the group's key.
func (a *accumulator) start(id bson.RawValue, c *collate.Collator) (expr.Accumulator, error) {
	if a.code != nil {
		return a.code.start(id)
	}
	if a.rank != nil {
		return a.rank.New(), nil
	}
	if a.n == nil {
		return newAccumulator(a.op, c), nil
	}
	key := value.EmptyDocument
	if d, ok := id.DocumentOK(); ok {
		key = d
	}
	v, err := a.n.Eval(key)
	if err != nil {
		return nil, err
	}
	n, err := expr.CheckN(v)
	switch {
	case err != nil:
		return nil, err
	case a.by != nil:
		return &ranking{op: a.op, n: int(min(n, 1<<31))}, nil
	}
	return expr.NewMany(a.op, n, c), nil
}

// add passes a document to the state.
func (a *accumulator) add(state expr.Accumulator, d bson.Raw) error {
	if s, ok := state.(*scriptedState); ok {
		return s.add(d)
	}
	v, err := a.arg.Eval(d)
	if err != nil {
		return err
	}
	if r, ok := state.(*ranking); ok {
		key, err := a.by.Key(d)
		if err != nil {
			return err
		}
		r.add(key, v)
		return nil
	}
	if a.op == "$mergeObjects" && !value.IsNullish(v) && v.Type != bsontype.EmbeddedDocument {
		return status.Errorf(40400, "$mergeObjects requires object inputs, but input %s is of type %s", status.TextOf(v), v.Type)
	}
	state.Add(v)
	return nil
}

func newAccumulator(op string, c *collate.Collator) expr.Accumulator {
	switch op {
	case "$count":
		return expr.NewAccumulator("$sum", c)
	case "$first":
		return &first{}
	case "$last":
		return &last{}
	case "$push":
		return &push{}
	case "$addToSet":
		return &set{seen: map[string]bool{}, collation: c}
	case "$concatArrays":
		return &concatenation{op: op, to: &push{}}
	case "$setUnion":
		return &concatenation{op: op, to: &set{seen: map[string]bool{}, collation: c}}
	case "$mergeObjects":
		return &merge{}
	}
	return expr.NewAccumulator(op, c)
}

type first struct {
	v   bson.RawValue
	got bool
}

func (a *first) Add(v bson.RawValue) {
	if !a.got {
		a.v, a.got = v, true
	}
}
func (a *first) Result() bson.RawValue { return a.v }

type last struct{ v bson.RawValue }

func (a *last) Add(v bson.RawValue)   { a.v = v }
func (a *last) Result() bson.RawValue { return a.v }

type push struct{ list []bson.RawValue }

func (a *push) Add(v bson.RawValue) {
	if !v.IsZero() {
		a.list = append(a.list, v)
	}
}
func (a *push) Result() bson.RawValue { return value.ArrayOf(a.list...) }

type set struct {
	push
	seen      map[string]bool
	collation *collate.Collator
}

func (a *set) Add(v bson.RawValue) {
	if v.IsZero() {
		return
	}
	if key := string(compare.AppendKey(nil, v, a.collation)); !a.seen[key] {
		a.seen[key] = true
		a.push.Add(v)
	}
}

// concatenation concatenates arrays.
type concatenation struct {
	op  string
	to  expr.Accumulator
	err error
}

func (a *concatenation) Add(v bson.RawValue) {
	switch {
	case v.Type == bsontype.Array:
		for _, e := range value.Elements(v) {
			a.to.Add(e)
		}
	case !value.IsNullish(v) && a.err == nil:
		a.err = status.Errorf(errcode.TypeMismatch, "%s requires array inputs, but input %s is of type %s", a.op, status.TextOf(v), v.Type)
	}
}

func (a *concatenation) Result() bson.RawValue { return a.to.Result() }

// failure returns the error of a value that cannot be accumulated.
func (a *concatenation) failure() error { return a.err }

type merge struct{ list []bson.RawValue }

func (a *merge) Add(v bson.RawValue) {
	if v.Type == bsontype.EmbeddedDocument {
		a.list = append(a.list, v)
	}
}
func (a *merge) Result() bson.RawValue { return expr.Merge(a.list) }

// ranking keeps the values in the order of their keys. Among equal keys the first one stays.
type ranking struct {
	op   string
	n    int
	keys []string
	list []bson.RawValue
}

// Add is never called: the key of a value comes from its document.
func (a *ranking) Add(bson.RawValue) {}

func (a *ranking) add(key string, v bson.RawValue) {
	bottom := strings.HasPrefix(a.op, "$bottom")
	if len(a.keys) == a.n {
		switch {
		case bottom && key > a.keys[0]:
			a.keys, a.list = a.keys[1:], a.list[1:]
		case !bottom && key < a.keys[a.n-1]:
			a.keys, a.list = a.keys[:a.n-1], a.list[:a.n-1]
		default:
			return
		}
	}
	at := len(a.keys)
	for at > 0 && a.keys[at-1] > key {
		at--
	}
	a.keys = append(a.keys[:at:at], append([]string{key}, a.keys[at:]...)...)
	a.list = append(a.list[:at:at], append([]bson.RawValue{v}, a.list[at:]...)...)
}

func (a *ranking) Result() bson.RawValue {
	if strings.HasSuffix(a.op, "N") {
		return value.ArrayOf(a.list...)
	}
	if len(a.list) == 0 || a.list[0].IsZero() {
		return value.Null
	}
	return a.list[0]
}
