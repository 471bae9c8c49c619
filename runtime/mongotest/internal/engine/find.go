package engine

import (
	"context"
	"slices"
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/runtime/mongotest/internal/collate"
	"github.com/specdrivers/onion/runtime/mongotest/internal/number"
	"github.com/specdrivers/onion/runtime/mongotest/internal/order"
	"github.com/specdrivers/onion/runtime/mongotest/internal/path"
	"github.com/specdrivers/onion/runtime/mongotest/internal/project"
	"github.com/specdrivers/onion/runtime/mongotest/internal/query"
	"github.com/specdrivers/onion/runtime/mongotest/internal/status"
	"github.com/specdrivers/onion/runtime/mongotest/internal/store"
	"github.com/specdrivers/onion/runtime/mongotest/internal/value"
)

var findFields = []field{
	{"filter", 0, document}, {"sort", 0, document}, {"projection", 0, document}, {"limit", 0, integer}, {"skip", 0, integer},
	{"batchSize", 0, integer}, {"singleBatch", 0, boolean}, {"hint", 0, either}, {"collation", 0, document},
	{"let", wire50, document}, {"comment", 0, anything}, {"tailable", 0, boolean}, {"awaitData", 0, boolean},
	{"noCursorTimeout", 0, boolean}, {"allowPartialResults", 0, boolean}, {"oplogReplay", 0, boolean},
	{"allowDiskUse", wire44, boolean}, {"min", 0, document}, {"max", 0, document}, {"returnKey", 0, boolean},
	{"showRecordId", 0, boolean}, {"ntoreturn", 0, integer}, {"options", 0, integer}, {"term", 0, integer},
	{"includeQueryStatsMetrics", wire80, boolean},
}

// find answers the documents that match a query. It leaves out min and max, returnKey and showRecordId; allowDiskUse,
// allowPartialResults and oplogReplay change nothing.
func (e *Engine) find(ctx context.Context, r *Request, dst []byte) ([]byte, error) {
	if out, ok := e.findID(r, dst); ok {
		return out, nil
	}
	name, err := r.collection()
	if err != nil {
		return nil, err
	}
	a, err := r.parse(findFields)
	if err != nil {
		return nil, err
	}
	if err := checkFind(a); err != nil {
		return nil, err
	}
	snap := e.snapshot(r)
	c := snap.Collection(r.DB, name)
	if c != nil && c.IsView() {
		return e.findView(ctx, r, a, c, dst)
	}
	cur := &cursor{db: r.DB, name: name, lsid: r.LSID, noTimeout: a.bool("noCursorTimeout"), inTxn: r.Txn != nil}
	single := a.bool("singleBatch")
	if a.bool("tailable") {
		if err := e.tail(a, c, cur); err != nil {
			return nil, err
		}
		if cur.src == nil {
			cur.src, single = &documents{}, true
		}
	} else if cur.src, err = e.results(a, c); err != nil {
		return nil, err
	}
	batch := int64(-1)
	if a.has("batchSize") {
		batch = a.int("batchSize")
	}
	return e.first(ctx, dst, cur, batch, single)
}

func checkFind(a *args) error {
	for _, name := range [...]string{"limit", "skip", "batchSize"} {
		if a.has(name) && a.int(name) < 0 {
			return status.Errorf(51024, "BSON field '%s' value must be >= 0, actual value '%d'", name, a.int(name))
		}
	}
	if a.bool("awaitData") && !a.bool("tailable") {
		return status.Errorf(errcode.FailedToParse, "Cannot set 'awaitData' without also setting 'tailable'")
	}
	for _, name := range [...]string{"min", "max", "returnKey", "showRecordId"} {
		if v := a.get(name); v.Type == bsontype.EmbeddedDocument && len(v.Value) > 5 || v.Type != bsontype.EmbeddedDocument && value.Truthy(v) {
			return status.Errorf(errcode.CommandNotSupported, "find does not support '%s' in mongotest", name)
		}
	}
	return nil
}

// collation is that of the command, or else the collection's.
func collation(a *args, c *store.Collection) (*collate.Collator, error) {
	spec := a.document("collation")
	if len(spec) <= 5 && c != nil && c.Options.Document != nil {
		spec, _ = c.Options.Document.Lookup("collation").DocumentOK()
	}
	return collate.New(spec)
}

// filter compiles the query in an argument.
func (e *Engine) filter(a *args, c *store.Collection, name string) (*query.Filter, error) {
	col, err := collation(a, c)
	if err != nil {
		return nil, err
	}
	scope, err := e.scope(a, col)
	if err != nil {
		return nil, err
	}
	q := a.document(name)
	if q == nil {
		q = value.EmptyDocument
	}
	return query.Compile(q, query.Options{Collation: col, Scope: scope})
}

// results compiles a find into a source.
func (e *Engine) results(a *args, c *store.Collection) (*results, error) {
	f, err := e.filter(a, c, "filter")
	if err != nil {
		return nil, err
	}
	s := &results{skip: a.int("skip"), limit: -1}
	if n := a.int("limit"); n > 0 {
		s.limit = n
	}
	sort, natural, err := sortOf(a.document("sort"), f.Collation())
	if err != nil {
		return nil, err
	}
	if d := a.document("projection"); len(d) > 5 {
		scope, err := e.scope(a, f.Collation())
		if err != nil {
			return nil, err
		}
		if s.projection, err = project.Compile(d, project.Options{Filter: f, Scope: scope}); err != nil {
			return nil, err
		}
	}
	p, err := makePlan(c, f, sort, a.get("hint"), natural)
	if err != nil {
		return nil, err
	}
	s.walk = p.matches()
	if !p.sorted {
		s.order = sort
	}
	return s, nil
}

// sortOf reads a sort document; {$natural: 1} gives a direction instead.
func sortOf(d bson.Raw, c *collate.Collator) (o *order.Order, natural int, err error) {
	if len(d) <= 5 {
		return nil, 0, nil
	}
	if v := path.Field(d, "$natural"); !v.IsZero() {
		n, ok := number.Whole(v)
		if !ok || n != 1 && n != -1 || d.Len() > 1 {
			return nil, 0, status.Errorf(errcode.BadValue, "$natural sort cannot be set to a value other than -1 or 1.")
		}
		return nil, int(n), nil
	}
	o, err = order.Parse(d, c)
	return o, 0, err
}

func sortFound(list []found) {
	slices.SortStableFunc(list, func(a, b found) int { return strings.Compare(a.key, b.key) })
}

// tail makes a tailable cursor; none when the collection is missing.
func (e *Engine) tail(a *args, c *store.Collection, cur *cursor) error {
	switch {
	case a.bool("singleBatch"):
		return status.Errorf(errcode.FailedToParse, "cannot use tailable option with the 'singleBatch' option")
	case a.has("sort"):
		return status.Errorf(errcode.FailedToParse, "cannot use tailable option with a sort other than {$natural: 1}")
	case c == nil:
		return nil
	case !c.Options.Capped:
		return status.Errorf(errcode.BadValue, "error processing query: ns=%s planner returned error :: caused by :: tailable cursor requested on non capped collection", c.Namespace())
	}
	f, err := e.filter(a, c, "filter")
	if err != nil {
		return err
	}
	s := &tail{engine: e, db: c.DB, name: c.Name, uuid: c.UUID, filter: f, limit: -1}
	if n := a.int("limit"); n > 0 {
		s.limit = n
	}
	if d := a.document("projection"); len(d) > 5 {
		if s.projection, err = project.Compile(d, project.Options{Filter: f}); err != nil {
			return err
		}
	}
	cur.src, cur.tailable, cur.await = s, true, a.bool("awaitData")
	return nil
}
