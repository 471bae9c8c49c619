package engine

import (
	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/agg"
	"github.com/specdrivers/onion/tools/mongotest/internal/expr"
	"github.com/specdrivers/onion/tools/mongotest/internal/fulltext"
	"github.com/specdrivers/onion/tools/mongotest/internal/query"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/store"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

// viewDepthMax is how many views may be nested.
const viewDepthMax = 20

// resolve follows views down to their collection. The views' pipelines come first in the result.
func resolve(snap *store.Snapshot, view *store.Collection, stages bson.RawValue, depth int) (*store.Collection, bson.RawValue, error) {
	if depth > viewDepthMax {
		return nil, stages, status.Errorf(errcode.ViewDepthLimitExceeded,
			"View depth too deep or view cycle detected; maximum depth is %d", viewDepthMax)
	}
	all := append(value.Elements(value.Array(view.Options.Pipeline)), value.Elements(stages)...)
	stages = value.ArrayOf(all...)
	c := snap.Collection(view.DB, view.Options.ViewOn)
	if c != nil && c.IsView() {
		return resolve(snap, c, stages, depth+1)
	}
	return c, stages, nil
}

// readView reads the part of a create that defines a view.
func (d *definition) readView() error {
	switch {
	case d.a.has("viewOn") && d.options.ViewOn == "":
		return status.Errorf(errcode.BadValue, "'viewOn' cannot be empty")
	case d.options.ViewOn == "" && d.a.has("pipeline"):
		return status.Errorf(errcode.InvalidOptions, "'pipeline' requires 'viewOn' to also be specified")
	case d.options.ViewOn == "":
		return nil
	case d.a.has("idIndex"):
		return status.Errorf(errcode.InvalidOptions, "'idIndex' is not allowed with 'viewOn': %s", status.Text(d.a.document("idIndex")))
	}
	if err := checkName(d.r.DB, d.options.ViewOn); err != nil {
		return err
	}
	if d.options.Pipeline, _ = d.a.get("pipeline").ArrayOK(); d.options.Pipeline == nil {
		d.options.Pipeline = bson.RawArray(value.EmptyDocument)
		d.shown["pipeline"] = value.ArrayOf()
	}
	d.index = nil
	return nil
}

// checkView refuses a view that contains itself, nests too deep, has another collation than its source, or has an
// invalid pipeline.
func checkView(snap *store.Snapshot, db, name string, o store.Options) error {
	ns := db + "." + name
	chain := ns
	for depth, on := 1, o.ViewOn; ; depth++ {
		chain += " => " + db + "." + on
		below := snap.Collection(db, on)
		switch {
		case on == name:
			return status.Errorf(errcode.GraphContainsCycle, "View cycle detected: %s", chain)
		case depth > viewDepthMax:
			return status.Errorf(errcode.ViewDepthLimitExceeded, "View depth limit exceeded; maximum depth is %d", viewDepthMax)
		}
		if below == nil || !below.IsView() {
			break
		}
		mine, _ := o.Document.Lookup("collation").DocumentOK()
		theirs, _ := documentOrEmpty(below.Options.Document).Lookup("collation").DocumentOK()
		if string(mine) != string(theirs) {
			return status.Errorf(errcode.OptionNotSupportedOnView, "View %s has conflicting collation with view %s", ns, below.Namespace())
		}
		on = below.Options.ViewOn
	}
	_, err := agg.Compile(value.Array(o.Pipeline), agg.Options{DB: db, Scope: &expr.Scope{}, Access: noAccess{}, Nested: "view definition"})
	if err != nil && changesData(o.Pipeline) {
		return status.Errorf(errcode.OptionNotSupportedOnView, "Invalid pipeline for view %s :: caused by :: %s", ns,
			status.From(err).Message)
	}
	return err
}

// changesData reports whether a pipeline has a stage that views may not have.
func changesData(stages bson.RawArray) bool {
	for _, stage := range stages.All() {
		first, _ := bson.Raw(stage.Value).Index(0)
		switch first.Key {
		case "$out", "$merge", "$changeStream":
			return true
		}
	}
	return false
}

// noAccess reads nothing. It serves to check a view's definition.
type noAccess struct{}

func (noAccess) Open(string, string) (agg.Source, error) { return agg.List(nil), nil }
func (noAccess) Find(string, string, *query.Filter) (agg.Source, error) {
	return agg.List(nil), nil
}
func (noAccess) Text(string, string) (*fulltext.Index, error) {
	return &fulltext.Index{Default: fulltext.None}, nil
}
func (noAccess) Initial(name string, _ bson.RawValue) ([]bson.Raw, bool, error) {
	return nil, name == "$collStats" || name == "$indexStats", nil
}
