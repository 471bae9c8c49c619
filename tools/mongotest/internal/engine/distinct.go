// The command distinct: the distinct values of a field, in the order found.

package engine

import (
	"context"
	"slices"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/collate"
	"github.com/specdrivers/onion/tools/mongotest/internal/compare"
	"github.com/specdrivers/onion/tools/mongotest/internal/path"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

var distinctFields = []field{
	{"key", 0, text | required}, {"query", 0, document}, {"collation", 0, document}, {"comment", 0, text},
	{"hint", wire.Server71, hint}, {"collectionUUID", wire.Server60, uuid}, {"includeQueryStatsMetrics", wire.Server82, boolean},
	{"encryptionInformation", wire.Server60, document},
}

func (e *Engine) distinct(ctx context.Context, r *Request, dst []byte) ([]byte, error) {
	name, err := r.collection()
	if err != nil {
		return nil, err
	}
	a, err := r.parse(distinctFields)
	if err != nil {
		return nil, err
	}
	if a.text("key") == "" {
		return nil, status.Errorf(errcode.Location40352, "FieldPath cannot be constructed with empty string")
	}
	if err := r.checkUUID(e.snapshot(r), a, r.DB, name); err != nil {
		return nil, err
	}
	out, err := e.distinctValues(r, a, name, func() error { return endedError(ctx) })
	if err != nil {
		return nil, err
	}
	return appendReadTime(bson.AppendRawValueElement(dst, "values", value.ArrayOf(out...)), r.ReadTime), nil
}

// distinctValues reads the values in the order in which the server finds them: the order of an index that has them all,
// or of the documents.
func (e *Engine) distinctValues(r *Request, a *args, name string, check func() error) ([]bson.RawValue, error) {
	c := e.snapshot(r).Collection(r.DB, name)
	scan, err := e.findDistinctPlan(a, c)
	if err != nil {
		return nil, err
	}
	var next func() (bson.Raw, error)
	if scan != nil {
		next = (&results{walk: scan.newMatches(), limit: -1}).next
	} else if next, err = e.readAll(r, a, name, "query"); err != nil {
		return nil, err
	}
	col, err := collation(a, c)
	if err != nil {
		return nil, err
	}
	out, err := distinctValues(next, path.Parse(a.text("key")), col, check)
	if scan != nil && scan.index.Multikey {
		slices.SortFunc(out, func(a, b bson.RawValue) int {
			if scan.index.Fields[0].Descending {
				a, b = b, a
			}
			return compare.Values(a, b, col)
		})
	}
	return out, err
}

// distinctValues returns the different values at a path.
func distinctValues(
	next func() (bson.Raw, error), p path.Path, col *collate.Collator, check func() error,
) (out []bson.RawValue, err error) {
	seen := map[string]bool{}
	size := 0
	for {
		if err := check(); err != nil {
			return nil, err
		}
		d, err := next()
		if err != nil {
			return nil, err
		}
		if d == nil {
			return out, nil
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
}
