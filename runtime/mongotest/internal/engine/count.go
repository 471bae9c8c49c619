package engine

import (
	"context"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/runtime/mongotest/internal/compare"
	"github.com/specdrivers/onion/runtime/mongotest/internal/path"
	"github.com/specdrivers/onion/runtime/mongotest/internal/status"
	"github.com/specdrivers/onion/runtime/mongotest/internal/value"
)

var countFields = []field{
	{"query", 0, document}, {"limit", 0, integer}, {"skip", 0, integer}, {"hint", 0, either}, {"collation", 0, document},
	{"fields", 0, anything}, {"comment", 0, anything}, {"collectionUUID", 0, anything}, {"encryptionInformation", 0, anything},
}

// count counts the documents that match a query, within skip and limit.
func (e *Engine) count(ctx context.Context, r *Request, dst []byte) ([]byte, error) {
	name, err := r.collection()
	if err != nil {
		return nil, err
	}
	a, err := r.parse(countFields)
	if err != nil {
		return nil, err
	}
	if a.int("skip") < 0 {
		return nil, status.Errorf(51024, "BSON field 'skip' value must be >= 0, actual value '%d'", a.int("skip"))
	}
	src, err := e.readAll(r, a, name, "query")
	if err != nil {
		return nil, err
	}
	n, skip := int64(0), a.int("skip")
	limit := max(a.int("limit"), -a.int("limit"))
	for limit == 0 || n < limit {
		d, err := src()
		if err != nil {
			return nil, err
		}
		if d == nil {
			break
		}
		if skip > 0 {
			skip--
			continue
		}
		if n++; n&1023 == 0 {
			if err := expired(ctx); err != nil {
				return nil, err
			}
		}
	}
	return bson.AppendInt32Element(dst, "n", int32(n)), nil
}

// readAll yields the documents of a collection or view that match the query in an argument.
func (e *Engine) readAll(r *Request, a *args, name, q string) (func() (bson.Raw, error), error) {
	c := e.snapshot(r).Collection(r.DB, name)
	if c == nil || !c.IsView() {
		f, err := e.filter(a, c, q)
		if err != nil {
			return nil, err
		}
		p, err := makePlan(c, f, nil, a.get("hint"), 0)
		if err != nil {
			return nil, err
		}
		return (&results{walk: p.matches(), limit: -1}).next, nil
	}
	d, start := bson.AppendDocumentStart(nil)
	if v := a.get(q); !v.IsZero() {
		d = bson.AppendRawValueElement(d, "$match", v)
	} else {
		d = bson.AppendDocumentElement(d, "$match", value.EmptyDocument)
	}
	b := &args{
		fields: []field{{name: "pipeline"}, {name: "collation"}},
		values: []bson.RawValue{value.ArrayOf(value.Document(bson.AppendDocumentEnd(d, start))), a.get("collation")},
	}
	run, err := e.pipeline(r, b, name, false)
	if err != nil {
		return nil, err
	}
	return run.next, nil
}

var distinctFields = []field{
	{"key", 0, text}, {"query", 0, document}, {"collation", 0, document}, {"comment", 0, anything},
	{"hint", wire70 + 1, either}, {"collectionUUID", 0, anything},
}

// distinct answers the values that a field has, each once, in the order in which they are met.
func (e *Engine) distinct(ctx context.Context, r *Request, dst []byte) ([]byte, error) {
	name, err := r.collection()
	if err != nil {
		return nil, err
	}
	a, err := r.parse(distinctFields)
	if err != nil {
		return nil, err
	}
	if !a.has("key") {
		return nil, status.Errorf(40414, "BSON field 'distinct.key' is missing but a required field")
	}
	src, err := e.readAll(r, a, name, "query")
	if err != nil {
		return nil, err
	}
	col, err := collation(a, e.snapshot(r).Collection(r.DB, name))
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	var out []bson.RawValue
	size := 0
	p := path.Parse(a.text("key"))
	for {
		if err := expired(ctx); err != nil {
			return nil, err
		}
		d, err := src()
		if err != nil {
			return nil, err
		}
		if d == nil {
			break
		}
		_, err = path.Keys(d, []path.Path{p}, func(values []bson.RawValue) {
			v := values[0]
			if v.IsZero() || v.Type == bsontype.Undefined {
				return
			}
			if key := string(compare.AppendKey(nil, v, col)); !seen[key] {
				seen[key] = true
				out = append(out, v)
				size += len(v.Value)
			}
		})
		if err != nil {
			return nil, err
		}
		if size > documentMax {
			return nil, status.Errorf(17217, "distinct too big, 16mb cap")
		}
	}
	return bson.AppendRawValueElement(dst, "values", value.ArrayOf(out...)), nil
}

// searchNotEnabled is the refusal of everything that only Atlas has.
func searchNotEnabled(what string) error {
	return status.Errorf(errcode.Code(31082), "%s is only supported on Atlas: using Atlas Search Database Commands and the $listSearchIndexes aggregation stage requires additional configuration. Please connect to Atlas or an AtlasCLI local deployment to enable.", what)
}

// searchIndexes refuses createSearchIndexes, updateSearchIndex, dropSearchIndex and listSearchIndexes, as a server does
// that is not part of Atlas.
func (e *Engine) searchIndexes(_ context.Context, r *Request, _ []byte) ([]byte, error) {
	return nil, searchNotEnabled(r.Name)
}
