// The command distinct: the distinct values of a field, in the order found.
//
// Left out: the order of the index that a server would use.

package engine

import (
	"context"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/errcode"
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
	return appendReadTime(bson.AppendRawValueElement(dst, "values", value.ArrayOf(out...)), r.ReadTime), nil
}
