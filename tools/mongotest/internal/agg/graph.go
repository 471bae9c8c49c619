package agg

import (
	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/compare"
	"github.com/specdrivers/onion/tools/mongotest/internal/expr"
	"github.com/specdrivers/onion/tools/mongotest/internal/number"
	"github.com/specdrivers/onion/tools/mongotest/internal/path"
	"github.com/specdrivers/onion/tools/mongotest/internal/query"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

// graph is the stage $graphLookup.
type graph struct {
	c        *compiler
	from     string
	as       path.Path
	start    *expr.Node
	connect  path.Path // the field whose values are looked up
	to       path.Path // the field to look them up in
	depth    path.Path // the field that receives the distance from the start
	maxDepth int64
	restrict *query.Filter
}

func compileGraphLookup(c *compiler, spec bson.RawValue) (stage, error) {
	d, ok := spec.DocumentOK()
	if !ok {
		return nil, status.Errorf(errcode.FailedToParse, "the $graphLookup stage specification must be an object, but found %s", spec.Type)
	}
	g := &graph{c: c, maxDepth: -1}
	for key, v := range d.All() {
		if err := g.readOption(key, v); err != nil {
			return nil, err
		}
	}
	switch {
	case g.from == "" || g.as == nil || g.start == nil || g.connect == nil || g.to == nil:
		return nil, status.Errorf(40105,
			"$graphLookup requires 'from', 'as', 'startWith', 'connectFromField', and 'connectToField' to be specified.")
	case c.Access == nil:
		return nil, status.Errorf(errcode.InvalidOptions, "$graphLookup is not allowed here")
	}
	return mapStage(g.search), nil
}

func (g *graph) readOption(key string, v bson.RawValue) (err error) {
	switch key {
	case "startWith":
		node, err := expr.Compile(v, g.c.Scope)
		g.start = &node
		return err
	case "maxDepth":
		var whole bool
		g.maxDepth, whole = number.ExactInt64(v)
		switch {
		case !number.Is(v.Type):
			return status.Errorf(40100, "maxDepth must be numeric, found type: %s", v.Type)
		case g.maxDepth < 0 || number.Float64(v) < 0:
			return status.Errorf(40101, "maxDepth requires a nonnegative argument, found: %d", g.maxDepth)
		case !whole:
			return status.Errorf(40102, "maxDepth could not be represented as a long long: %s", status.TextOf(v))
		}
		return nil
	case "restrictSearchWithMatch":
		d, ok := v.DocumentOK()
		if !ok {
			return status.Errorf(40185, "restrictSearchWithMatch must be an object, found %s", v.Type)
		}
		g.restrict, err = query.Compile(d, g.c.p.query)
		return err
	}
	fields := map[string]*path.Path{"as": &g.as, "connectFromField": &g.connect, "connectToField": &g.to, "depthField": &g.depth}
	p, known := fields[key]
	if !known && key != "from" {
		return status.Errorf(40104, "Unknown argument to $graphLookup: %s", key)
	}
	switch {
	case key == "from" && v.Type != bsontype.String:
		return status.Errorf(errcode.FailedToParse, "$graphLookup 'from' field must be a string, but found %s", v.Type)
	case key == "from" && value.Text(v) == "":
		return status.Errorf(errcode.InvalidNamespace, "Invalid namespace specified '%s.'", g.c.DB)
	case v.Type != bsontype.String:
		return status.Errorf(40103, "expected string as argument for %s, found: %s", key, v.Type)
	}
	if key == "from" {
		g.from = value.Text(v)
		return nil
	}
	*p, err = expr.CheckPath(value.Text(v), g.c.Scope)
	return err
}

// search finds all documents that can be reached from d, nearest first.
func (g *graph) search(d bson.Raw) (bson.Raw, error) {
	v, err := g.start.Eval(d)
	if err != nil {
		return nil, err
	}
	frontier := []bson.RawValue{v}
	switch {
	case v.IsZero():
		frontier = nil
	case v.Type == bsontype.Array:
		frontier = value.Elements(v)
	}
	var found []bson.Raw
	seen, asked := map[string]bool{}, map[string]bool{}
	for depth := int64(0); len(frontier) > 0 && (g.maxDepth < 0 || depth <= g.maxDepth); depth++ {
		docs, err := g.findConnected(frontier)
		if err != nil {
			return nil, err
		}
		frontier = nil
		for _, doc := range docs {
			id := string(compare.AppendKey(nil, path.Field(doc, "_id"), nil))
			if seen[id] {
				continue
			}
			seen[id] = true
			for _, v := range appendAlong(doc, g.connect, nil) {
				if key := string(compare.AppendKey(nil, v, g.c.Scope.Collation)); !asked[key] {
					asked[key] = true
					frontier = append(frontier, v)
				}
			}
			if g.depth != nil {
				doc = put(doc, g.depth, value.Int64(depth))
			}
			found = append(found, doc)
		}
	}
	return put(d, g.as, arrayOf(found)), nil
}

// findConnected reads the documents that contain one of the values.
func (g *graph) findConnected(frontier []bson.RawValue) ([]bson.Raw, error) {
	f, err := g.c.joinFilter(g.to, frontier)
	if err != nil {
		return nil, err
	}
	in, err := g.c.Access.Find(g.c.DB, g.from, f)
	if err != nil {
		return nil, err
	}
	if g.restrict != nil {
		in = filterStage(g.restrict)(in)
	}
	return Drain(in)
}
