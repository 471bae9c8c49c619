package agg

import (
	"math"
	"slices"
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/compare"
	"github.com/specdrivers/onion/tools/mongotest/internal/expr"
	"github.com/specdrivers/onion/tools/mongotest/internal/number"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

// buckets is the stage $bucket, which groups documents by ranges of values.
type buckets struct {
	c         *compiler
	by        *expr.Node
	bounds    []bson.RawValue
	otherwise bson.RawValue
	fields    []accumulator
}

func compileBucket(c *compiler, spec bson.RawValue) (stage, error) {
	d, ok := spec.DocumentOK()
	if !ok {
		return nil, status.Errorf(40201, "Argument to $bucket stage must be an object, but found type: %s.", spec.Type)
	}
	b := &buckets{c: c, fields: c.countField()}
	for key, v := range d.All() {
		if err := b.readOption(key, v); err != nil {
			return nil, err
		}
	}
	if b.by == nil || len(b.bounds) == 0 {
		return nil, status.Errorf(40198, "$bucket requires 'groupBy' and 'boundaries' to be specified.")
	}
	low, high := b.bounds[0], b.bounds[len(b.bounds)-1]
	if !b.otherwise.IsZero() && compare.Comparable(b.otherwise, low) && b.compare(b.otherwise, low) >= 0 &&
		b.compare(b.otherwise, high) < 0 {
		return nil, status.Errorf(40199,
			"The $bucket 'default' field must be less than the lowest boundary or greater than or equal to the highest boundary.")
	}
	grouped := c.groupStage(b.key, b.fields)
	sorted, err := compileSort(c, wrap("_id", value.Int32(1)))
	return func(in Source) Source { return sorted(grouped(in)) }, err
}

func (b *buckets) compare(x, y bson.RawValue) int { return compare.Values(x, y, b.c.Scope.Collation) }

func (b *buckets) readOption(key string, v bson.RawValue) (err error) {
	switch key {
	case "groupBy":
		if !isExpression(v) {
			return status.Errorf(40202,
				"The $bucket 'groupBy' field must be defined as a $-prefixed path or an expression, but found: %s.", status.TextOf(v))
		}
		node, err := expr.Compile(v, b.c.Scope)
		b.by = &node
		return err
	case "boundaries":
		return b.readBoundaries(v)
	case "default":
		b.otherwise, err = b.evaluateConstant(v, 40195, "The $bucket 'default' field must be a constant expression, but found: %s.")
		if b.otherwise.IsZero() {
			b.otherwise = value.Null
		}
		return err
	case "output":
		b.fields, err = b.c.compileOutputFields(v, 40196, "The $bucket 'output' field must be an object, but found type: %s.")
		return err
	}
	return status.Errorf(40197, "Unrecognized option to $bucket: %s.", key)
}

// isExpression reports whether v is a path with a $ or an operator.
func isExpression(v bson.RawValue) bool {
	if d, ok := v.DocumentOK(); ok {
		e, _ := d.Index(0)
		return strings.HasPrefix(e.Key, "$")
	}
	return strings.HasPrefix(value.Text(v), "$")
}

// evaluateConstant evaluates an expression that must not depend on a document.
func (b *buckets) evaluateConstant(v bson.RawValue, code errcode.Code, text string) (bson.RawValue, error) {
	node, err := expr.Compile(v, b.c.Scope)
	if err != nil {
		return v, err
	}
	if !node.Constant() {
		return v, status.Errorf(code, text, status.TextOf(v))
	}
	return node.Eval(value.EmptyDocument)
}

// compileOutputFields compiles the accumulators of a bucket.
func (c *compiler) compileOutputFields(v bson.RawValue, code errcode.Code, text string) ([]accumulator, error) {
	d, ok := v.DocumentOK()
	if !ok {
		return nil, status.Errorf(code, text, v.Type)
	}
	var fields []accumulator
	for name, v := range d.All() {
		f, err := c.compileAccumulator(name, v)
		if err != nil {
			return nil, err
		}
		fields = append(fields, f)
	}
	return fields, nil
}

func (b *buckets) readBoundaries(v bson.RawValue) error {
	if v.Type != bsontype.Array {
		return status.Errorf(40200, "The $bucket 'boundaries' field must be an array, but found type: %s.", v.Type)
	}
	b.bounds = nil
	for _, e := range value.Elements(v) {
		bound, err := b.evaluateConstant(e, 40191,
			"The $bucket 'boundaries' field must be an array of constant values, but found value: %s.")
		if err != nil {
			return err
		}
		b.bounds = append(b.bounds, bound)
	}
	if len(b.bounds) < 2 {
		return status.Errorf(40192, "The $bucket 'boundaries' field must have at least 2 values, but found %d value(s).", len(b.bounds))
	}
	for i := 1; i < len(b.bounds); i++ {
		low, high := b.bounds[i-1], b.bounds[i]
		if !compare.Comparable(low, high) {
			return status.Errorf(40193,
				"All values in the the 'boundaries' option to $bucket must have the same type. Found conflicting types "+
					"%s and %s.", value.TypeName(low), value.TypeName(high))
		}
		if b.compare(low, high) >= 0 {
			return status.Errorf(40194,
				"The 'boundaries' option to $bucket must be sorted, but elements %d and %d are not in ascending order (%s is not "+
					"less than %s).", i-1, i, status.TextOf(low), status.TextOf(high))
		}
	}
	return nil
}

// key returns the lower bound of the bucket that a document falls into.
func (b *buckets) key(d bson.Raw) (bson.RawValue, error) {
	v, err := b.by.Eval(d)
	if err != nil {
		return v, err
	}
	for i := 1; i < len(b.bounds) && !v.IsZero(); i++ {
		if b.compare(v, b.bounds[i-1]) >= 0 && b.compare(v, b.bounds[i]) < 0 {
			return b.bounds[i-1], nil
		}
	}
	if b.otherwise.IsZero() {
		return v, status.Errorf(errcode.Location40066,
			"$switch could not find a matching branch for an input, and no default was specified.")
	}
	return b.otherwise, nil
}

// autoBuckets is the stage $bucketAuto.
type autoBuckets struct {
	c      *compiler
	by     *expr.Node
	n      int
	fields []accumulator

	granularity *granularity // nil leaves the bounds unrounded
}

func compileBucketAuto(c *compiler, spec bson.RawValue) (stage, error) {
	d, ok := spec.DocumentOK()
	if !ok {
		return nil, status.Errorf(40240, "The argument to $bucketAuto must be an object, but found type: %s", spec.Type)
	}
	a := &autoBuckets{c: c, fields: c.countField()}
	for key, v := range d.All() {
		if err := a.readOption(key, v); err != nil {
			return nil, err
		}
	}
	switch {
	case a.by == nil || d.Lookup("buckets").IsZero():
		return nil, status.Errorf(40246, "$bucketAuto requires 'groupBy' and 'buckets' to be specified")
	case a.n <= 0:
		return nil, status.Errorf(40243, "The $bucketAuto 'buckets' field must be greater than 0, but found: %d", a.n)
	}
	return wholeStage(a.run), nil
}

func (a *autoBuckets) readOption(key string, v bson.RawValue) (err error) {
	switch key {
	case "groupBy":
		if !isExpression(v) {
			return status.Errorf(40239,
				"The $bucketAuto 'groupBy' field must be defined as a $-prefixed path or an expression object, but found: %s",
				status.TextOf(v))
		}
		node, err := expr.Compile(v, a.c.Scope)
		a.by = &node
		return err
	case "buckets":
		n, _ := number.ExactInt64(v)
		switch {
		case !number.Is(v.Type):
			return status.Errorf(40241, "The $bucketAuto 'buckets' field must be a numeric value, but found type: %s", v.Type)
		case !number.Is32(v):
			return status.Errorf(40242,
				"The $bucketAuto 'buckets' field must be representable as a 32-bit integer, but found %s",
				status.TextOf(v))
		}
		a.n = int(n)
		return nil
	case "output":
		a.fields, err = a.c.compileOutputFields(v, 40244, "The $bucketAuto 'output' field must be an object, but found type: %s")
		for _, f := range a.fields {
			if err == nil && f.n != nil && !f.n.Constant() {
				err = status.Errorf(4544714, "$bucketAuto does not support an 'n' that refers to the group key")
			}
		}
		if len(a.fields) == 0 {
			a.fields = a.c.countField()
		}
		return err
	case "granularity":
		return a.readGranularity(v)
	}
	return status.Errorf(40245, "Unrecognized option to $bucketAuto: %s", key)
}

// keyedDocument is a document with the value that it is grouped by.
type keyedDocument struct {
	key bson.RawValue
	doc bson.Raw
}

// run fills the buckets evenly. Documents with equal values stay together. Each bucket ends where the next one begins.
func (a *autoBuckets) run(docs []bson.Raw) ([]bson.Raw, error) {
	list := make([]keyedDocument, len(docs))
	for i, d := range docs {
		v, err := a.by.Eval(d)
		if err != nil {
			return nil, err
		}
		if v.IsZero() {
			v = value.Null
		}
		if a.granularity != nil {
			if err := a.granularity.check(v); err != nil {
				return nil, err
			}
		}
		list[i] = keyedDocument{v, d}
	}
	collation := a.c.Scope.Collation
	slices.SortStableFunc(list, func(x, y keyedDocument) int { return compare.Values(x.key, y.key, collation) })
	size := max(1, int(math.Round(float64(len(list))/float64(a.n))))
	var out []bson.Raw
	var low bson.RawValue
	if len(list) > 0 {
		low = list[0].key
	}
	if a.granularity != nil && len(list) > 0 {
		low = a.granularity.roundDown(low)
	}
	for len(list) > 0 {
		n := min(size, len(list))
		if len(out) == a.n-1 {
			n = len(list)
		}
		for n < len(list) && compare.Equal(list[n].key, list[n-1].key, collation) {
			n++
		}
		high := list[n-1].key
		if n < len(list) {
			high = list[n].key
		}
		if a.granularity != nil {
			high, n = a.boundary(list, n)
		}
		d, err := a.makeBin(list[:n], low, high)
		if err != nil {
			return nil, err
		}
		out, list, low = append(out, d), list[n:], high
	}
	return out, nil
}

func (a *autoBuckets) makeBin(list []keyedDocument, low, high bson.RawValue) (bson.Raw, error) {
	d, start := bson.AppendDocumentStart(nil)
	d = bson.AppendRawValueElement(d, "min", low)
	d = bson.AppendRawValueElement(d, "max", high)
	b, err := a.c.newBin(value.Document(bson.AppendDocumentEnd(d, start)), a.fields)
	if err != nil {
		return nil, err
	}
	for _, k := range list {
		if err := b.add(a.fields, k.doc); err != nil {
			return nil, err
		}
	}
	return b.document(a.fields)
}

// boundary returns the rounded upper bound of a bucket that starts with the first n values, and how many values it then
// holds. Zeros get no bucket of their own while there are other values.
func (a *autoBuckets) boundary(list []keyedDocument, n int) (high bson.RawValue, filled int) {
	for n < len(list) && number.Float64(list[n-1].key) == 0 {
		n++
	}
	high = a.granularity.roundUp(list[n-1].key)
	for n < len(list) && number.Compare(list[n].key, high) < 0 {
		n++
	}
	return high, n
}

// readGranularity reads the granularity option of $bucketAuto.
func (a *autoBuckets) readGranularity(v bson.RawValue) (err error) {
	name, ok := v.StringOK()
	if !ok {
		return status.Errorf(40261, "The $bucketAuto 'granularity' field must be a string, but found type: %s", v.Type)
	}
	a.granularity, err = granularityOf(name)
	return err
}
