// The command mapReduce: a JavaScript function emits keys and values for each document, another reduces the values of a
// key to one, and an optional third finishes it. The results go into the reply or into a collection.
//
// Left out: jsMode has no effect; sharded output goes to the one shard.

package engine

import (
	"context"
	"slices"
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/agg"
	"github.com/specdrivers/onion/tools/mongotest/internal/compare"
	"github.com/specdrivers/onion/tools/mongotest/internal/script"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

var mapReduceFields = []field{
	{"map", 0, anything | required}, {"reduce", 0, anything | required}, {"out", 0, anything | required}, {"query", 0, document},
	{"sort", 0, document}, {"limit", 0, integer | natural}, {"finalize", 0, anything}, {"scope", 0, document}, {"jsMode", 0, flag},
	{"verbose", 0, flag}, {"bypassDocumentValidation", 0, flag}, {"collation", 0, document}, {"comment", 0, anything},
}

// mapReduceRun is one run of the command.
type mapReduceRun struct {
	e                      *Engine
	r                      *Request
	a                      *args
	mapper, reduce, finish script.Function // finish may be nil

	groups                   map[string]*emittedValues
	ordered                  []*emittedValues
	input, emits, reductions int32
}

// emittedValues holds the values that were emitted for one key.
type emittedValues struct {
	key    bson.RawValue
	values []bson.RawValue
}

func (e *Engine) mapReduce(ctx context.Context, r *Request, dst []byte) ([]byte, error) {
	name, err := r.collection()
	if err != nil {
		return nil, err
	}
	a, err := r.parse(mapReduceFields)
	if err != nil {
		return nil, err
	}
	to, err := mapReduceTarget(r.DB, a.get("out"))
	if err != nil {
		return nil, err
	}
	m := &mapReduceRun{e: e, r: r, a: a, groups: map[string]*emittedValues{}}
	if err := m.compile(); err != nil {
		return nil, err
	}
	if err := m.run(name); err != nil {
		return nil, err
	}
	docs, err := m.results()
	if err != nil {
		return nil, err
	}
	if to.inline {
		dst = bson.AppendRawValueElement(dst, "results", list(docs))
		return m.appendCounts(dst, len(docs)), nil
	}
	if to.reduce {
		if docs, err = m.reduceInto(to, docs); err != nil {
			return nil, err
		}
	}
	if err := e.writeOutput(ctx, r, a, &to.Output, agg.List(docs)); err != nil {
		return nil, err
	}
	if to.DB == r.DB {
		dst = bson.AppendStringElement(dst, "result", to.Name)
	} else {
		var start int
		dst, start = bson.AppendDocumentElementStart(dst, "result")
		dst = bson.AppendStringElement(dst, "db", to.DB)
		dst = bson.AppendStringElement(dst, "collection", to.Name)
		dst = bson.AppendDocumentEnd(dst, start)
	}
	return m.appendCounts(dst, len(docs)), nil
}

func list(docs []bson.Raw) bson.RawValue {
	values := make([]bson.RawValue, len(docs))
	for i, d := range docs {
		values[i] = value.Document(d)
	}
	return value.ArrayOf(values...)
}

// appendCounts adds the counts that servers before 4.4 return.
func (m *mapReduceRun) appendCounts(dst []byte, output int) []byte {
	if m.r.WireVersion >= wire.Server44 {
		return dst
	}
	dst = bson.AppendInt32Element(dst, "timeMillis", 0)
	dst, start := bson.AppendDocumentElementStart(dst, "counts")
	for _, c := range []struct {
		name string
		n    int32
	}{{"input", m.input}, {"emit", m.emits}, {"reduce", m.reductions}, {"output", int32(output)}} {
		dst = bson.AppendInt32Element(dst, c.name, c.n)
	}
	return bson.AppendDocumentEnd(dst, start)
}

// destination is where the results go.
type destination struct {
	agg.Output
	inline, reduce bool
}

func mapReduceTarget(db string, out bson.RawValue) (*destination, error) {
	to := &destination{Output: agg.Output{DB: db, On: []string{"_id"}, Matched: "replace", Unmatched: "insert"}}
	if out.Type == bsontype.String {
		to.Name = value.Text(out)
		return to, nil
	}
	d, ok := out.DocumentOK()
	if !ok {
		return nil, status.Errorf(13606, "'out' has to be a string or an object")
	}
	for key, v := range d.All() {
		switch key {
		case "inline":
			to.inline = true
		case "replace", "normal":
			to.Name = value.Text(v)
		case "merge", "reduce":
			to.Name, to.Merge, to.reduce = value.Text(v), true, key == "reduce"
		case "db":
			to.DB = value.Text(v)
		case "sharded", "nonAtomic":
		default:
			return nil, status.Errorf(13522, "unknown out specifier [%s]", key)
		}
	}
	if !to.inline && to.Name == "" {
		return nil, status.Errorf(errcode.BadValue, "'out' must name a collection, or be {inline: 1}")
	}
	return to, nil
}

func (m *mapReduceRun) compile() error {
	for _, f := range []struct {
		name string
		to   *script.Function
	}{{"map", &m.mapper}, {"reduce", &m.reduce}, {"finalize", &m.finish}} {
		v := m.a.get(f.name)
		if value.IsNullish(v) && f.name == "finalize" {
			continue
		}
		source, scope, ok := script.Source(v)
		if !ok || v.Type == bsontype.CodeWithScope && m.r.WireVersion >= wire.Server44 {
			return status.Errorf(errcode.TypeMismatch, "'%s' must be of string or code type", f.name)
		}
		if given := m.a.document("scope"); given != nil {
			scope = given
		}
		var err error
		if *f.to, err = m.e.scripts.Function(source, scope, false); err != nil {
			return err
		}
	}
	return nil
}

// run maps the documents that query, sort and limit select.
func (m *mapReduceRun) run(name string) error {
	run, err := m.e.compilePipeline(m.r, m.stages(), name, false)
	if err != nil {
		return err
	}
	emit := func(key, v bson.RawValue) {
		m.emits++
		k := string(compare.AppendKey(nil, key, nil))
		if m.groups[k] == nil {
			m.groups[k] = &emittedValues{key: key}
			m.ordered = append(m.ordered, m.groups[k])
		}
		m.groups[k].values = append(m.groups[k].values, v)
	}
	for {
		d, err := run.next()
		if d == nil || err != nil {
			return err
		}
		m.input++
		if _, err := m.mapper.Call(&script.Call{This: value.Document(d), Emit: emit, Interrupt: m.r.Interrupt}); err != nil {
			return err
		}
	}
}

// stages returns the pipeline that yields the documents to map.
func (m *mapReduceRun) stages() *args {
	var list []bson.RawValue
	stage := func(name string, v bson.RawValue) {
		d, start := bson.AppendDocumentStart(nil)
		d = bson.AppendRawValueElement(d, name, v)
		list = append(list, value.Document(bson.AppendDocumentEnd(d, start)))
	}
	for _, f := range [...][2]string{{"query", "$match"}, {"sort", "$sort"}} {
		if d := m.a.document(f[0]); d.Len() > 0 {
			stage(f[1], value.Document(d))
		}
	}
	if n := m.a.int("limit"); n > 0 {
		stage("$limit", value.Integer(n))
	}
	return &args{
		fields: []field{{name: "pipeline"}, {name: "collation"}},
		values: []bson.RawValue{value.ArrayOf(list...), m.a.get("collation")},
		wire:   m.a.wire,
		check:  m.a.check,
	}
}

// results are {_id: key, value: ...}, in the order of the keys.
func (m *mapReduceRun) results() ([]bson.Raw, error) {
	slices.SortFunc(m.ordered, func(a, b *emittedValues) int {
		return strings.Compare(string(compare.AppendKey(nil, a.key, nil)), string(compare.AppendKey(nil, b.key, nil)))
	})
	out := make([]bson.Raw, len(m.ordered))
	for i, g := range m.ordered {
		v, err := m.reduceValues(g)
		if err != nil {
			return nil, err
		}
		out[i] = result(g.key, v)
	}
	return out, nil
}

func result(key, v bson.RawValue) bson.Raw {
	if v.Type == bsontype.Undefined {
		v = value.Null
	}
	d, start := bson.AppendDocumentStart(nil)
	d = bson.AppendRawValueElement(d, "_id", key)
	d = bson.AppendRawValueElement(d, "value", v)
	return bson.AppendDocumentEnd(d, start)
}

// reduceValues returns the reduced value of a key. A single value needs no reduce.
func (m *mapReduceRun) reduceValues(g *emittedValues) (v bson.RawValue, err error) {
	v = g.values[0]
	if len(g.values) > 1 {
		m.reductions++
		args := []bson.RawValue{g.key, value.ArrayOf(g.values...)}
		if v, err = m.reduce.Call(&script.Call{Args: args, Interrupt: m.r.Interrupt}); err != nil {
			return v, err
		}
	}
	if m.finish != nil {
		v, err = m.finish.Call(&script.Call{Args: []bson.RawValue{g.key, v}, Interrupt: m.r.Interrupt})
	}
	return v, err
}

// reduceInto reduces each result with the target's existing one.
func (m *mapReduceRun) reduceInto(to *destination, docs []bson.Raw) ([]bson.Raw, error) {
	c := m.e.snapshot(m.r).Collection(to.DB, to.Name)
	if c == nil {
		return docs, nil
	}
	out := make([]bson.Raw, len(docs))
	for i, d := range docs {
		out[i] = d
		rec, err := findOn(c, &to.Output, d)
		if err != nil {
			return nil, err
		}
		if rec == nil {
			continue
		}
		g := &emittedValues{key: d.Lookup("_id"), values: []bson.RawValue{rec.Doc.Lookup("value"), d.Lookup("value")}}
		v, err := m.reduceValues(g)
		if err != nil {
			return nil, err
		}
		out[i] = result(g.key, v)
	}
	return out, nil
}
