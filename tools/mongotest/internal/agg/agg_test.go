package agg_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/tools/mongotest/internal/agg"
	"github.com/specdrivers/onion/tools/mongotest/internal/expr"
	"github.com/specdrivers/onion/tools/mongotest/internal/fulltext"
	"github.com/specdrivers/onion/tools/mongotest/internal/query"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

var bareKey = regexp.MustCompile(`([{,]\s*)([A-Za-z_$][\w.$]*)\s*:`)

// parse reads a value in extended JSON with single quotes and bare keys.
func parse(t testing.TB, s string) bson.RawValue {
	t.Helper()
	quoted := bareKey.ReplaceAllString(strings.ReplaceAll(`{v:`+s+`}`, "'", `"`), `$1"$2":`)
	d, err := bson.ExtJSONToRaw([]byte(quoted), false)
	if err != nil {
		t.Fatalf("%v in %s", err, s)
	}
	return d.Lookup("v")
}

func documents(v bson.RawValue) []bson.Raw {
	var out []bson.Raw
	for _, e := range value.Elements(v) {
		out = append(out, bson.Raw(e.Value))
	}
	return out
}

// collections are what a pipeline can read.
type collections map[string][]bson.Raw

func (c collections) Open(_, name string) (agg.Source, error) { return agg.List(c[name]), nil }

func (c collections) Find(_, name string, f *query.Filter) (agg.Source, error) {
	var out []bson.Raw
	for _, d := range c[name] {
		ok, err := f.Match(d)
		if err != nil {
			return nil, err
		}
		if ok {
			out = append(out, d)
		}
	}
	return agg.List(out), nil
}

func (collections) Text(string, string) (*fulltext.Index, error) {
	return &fulltext.Index{Weights: map[string]float64{"t": 1}, Default: fulltext.None, Override: "language"}, nil
}

func (collections) Initial(name string, _ bson.RawValue) ([]bson.Raw, bool, error) {
	return nil, name == "$collStats" || name == "$indexStats" || name == "$changeStream", nil
}

// outcome is the result of a pipeline over the documents of the collection in, on a server of a wire version:
// documents, or a code and a part of the message. Zero is the newest server.
type outcome struct {
	name, in, pipeline, want string
	code                     int32
	wire                     int32
}

func gives(name, in, pipeline, want string) outcome {
	return outcome{name: name, in: in, pipeline: pipeline, want: want}
}

func refuses(name, pipeline string, code int32, text string) outcome {
	return outcome{name: name, in: `[{_id:1,a:1}]`, pipeline: pipeline, want: text, code: code}
}

func (o outcome) on(wire int32) outcome { o.wire = wire; return o }
func (o outcome) of(in string) outcome  { o.in = in; return o }

// others are the collections besides the pipeline's own.
const others = `{names:[{_id:1,k:'a',v:10},{_id:2,k:'b',v:20},{_id:3,k:null,v:30},{_id:4,v:40},{_id:5,k:['a','c'],v:50}],
	graph:[{_id:'a',to:['b','c']},{_id:'b',to:'d'},{_id:'c',to:'d'},{_id:'d',to:'a'},{_id:'e'}]}`

func run(t testing.TB, o outcome) (bson.RawValue, error) {
	t.Helper()
	all := collections{}
	for name, v := range bson.Raw(parse(t, others).Value).All() {
		all[name] = documents(v)
	}
	p, err := agg.Compile(parse(t, o.pipeline), agg.Options{DB: "db", Access: all, Scope: &expr.Scope{WireVersion: o.wire}})
	if err != nil {
		return bson.RawValue{}, err
	}
	docs, err := agg.Drain(p.Run(agg.List(documents(parse(t, o.in)))))
	var out []bson.RawValue
	for _, d := range docs {
		out = append(out, value.Document(d))
	}
	return value.ArrayOf(out...), err
}

func check(t *testing.T, outcomes []outcome) {
	t.Helper()
	for _, o := range outcomes {
		t.Run(o.name, func(t *testing.T) {
			got, err := run(t, o)
			switch {
			case o.code != 0:
				if e := status.From(err); err == nil || int32(e.Code) != o.code || !strings.Contains(e.Message, o.want) {
					t.Fatalf("%s: got %s, %v, want %d %s", o.pipeline, status.TextOf(got), err, o.code, o.want)
				}
			case err != nil:
				t.Fatalf("%s: %v", o.pipeline, err)
			case !got.Equal(parse(t, o.want)):
				t.Errorf("%s:\n got %s\nwant %s", o.pipeline, status.TextOf(got), status.TextOf(parse(t, o.want)))
			}
		})
	}
}
