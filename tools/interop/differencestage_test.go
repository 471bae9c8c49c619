package interop

import (
	"fmt"
	"slices"
	"strings"

	"github.com/specdrivers/onion/bson"
)

// The rows of stages compute the stage's result from the matching documents. They excuse FerretDB only if mongotest
// returns exactly that.
var stages = []Difference{
	{
		Name:   "a second accumulator",
		Manual: "$group computes each accumulator from all documents of the group; FerretDB's second accumulator gets no documents, so that $sum is 0",
		Matches: func(s *Step) bool {
			group, ok := s.lastStage("$group").(bson.D)
			return ok && len(group) == 3 && s.expects(groupDocuments(s.matchedDocuments(), group[0].Value))
		},
	},
	{
		Name:   "missing fields in a group's document",
		Manual: "a field of a document expression is omitted if its value is missing; FerretDB sets it to null",
		Matches: func(s *Step) bool {
			group, ok := s.lastStage("$group").(bson.D)
			if !ok || len(group) != 2 || text(group[0].Value) != `{"s":"$s"}` {
				return false
			}
			var want []bson.D
			for _, g := range groupDocuments(s.matchedDocuments(), group[0].Value) {
				want = append(want, g[:2])
			}
			return s.expects(want)
		},
	},
	{
		Name:   "large limits",
		Manual: "$limit takes any positive 64-bit integer; FerretDB returns nothing if the limit needs more than 32 bits",
		Matches: func(s *Step) bool {
			stages, ok := field(s.Command, "pipeline").(bson.A)
			if !ok || len(stages) != 1 || text(stages[0]) != `{"$limit":{"$numberLong":"1099511627776"}}` {
				return false
			}
			least := slices.Clone(s.Command)
			least[1].Value = bson.A{bson.Doc("$limit", 1_000_000)}
			return s.askFerret(least).equal(s.Mongotest)
		},
	},
	{
		Name:   "field paths as values in $set and $project",
		Manual: "$addFields, $set and $project take expressions, and \"$n\" is the value of the field n; FerretDB stores the string",
		Matches: func(s *Step) bool {
			for _, name := range []string{"$set", "$addFields", "$project"} {
				spec, ok := s.lastStage(name).(bson.D)
				if path, isPath := field(spec, "w").(string); ok && isPath {
					return s.expects(setField(s.matchedDocuments(), strings.TrimPrefix(path, "$"), name == "$project"))
				}
			}
			return false
		},
	},
	{
		Name:   "dotted paths in $set",
		Manual: "a dotted path in $addFields and $set sets a field of an embedded document; FerretDB creates a field with a dot in its name",
		Matches: func(s *Step) bool {
			for _, name := range []string{"$set", "$addFields"} {
				if spec, ok := s.lastStage(name).(bson.D); ok && spec[0].Key == "d.new" {
					return s.expects(setNested(s.matchedDocuments()))
				}
			}
			return false
		},
	},
	{
		Name:   "$unwind loses fields",
		Manual: "$unwind outputs the input document with the array's field replaced by an element; FerretDB keeps only _id and that field",
		Matches: func(s *Step) bool {
			path, ok := s.lastStage("$unwind").(string)
			return ok && len(path) > 1 && s.expects(unwind(s.matchedDocuments(), path[1:], false))
		},
	},
	{
		Name:   "$unwind with options",
		Manual: "$unwind also takes a document with path and preserveNullAndEmptyArrays; FerretDB does not implement it",
		Matches: func(s *Step) bool {
			spec, ok := s.lastStage("$unwind").(bson.D)
			path, isPath := field(spec, "path").(string)
			return ok && isPath && s.expects(unwind(s.matchedDocuments(), path[1:], field(spec, "preserveNullAndEmptyArrays") == true))
		},
	},
}

// lastStage returns the specification of the last stage if the pipeline is a $match followed by a stage of this name.
func (s *Step) lastStage(name string) any {
	pipeline, ok := field(s.Command, "pipeline").(bson.A)
	if !ok || len(pipeline) != 2 {
		return nil
	}
	if first, ok := pipeline[0].(bson.D); !ok || len(first) != 1 || first[0].Key != "$match" {
		return nil
	}
	return stage(s.Command, name)
}

// stage returns the specification of a pipeline's last stage if the stage has this name.
func stage(command bson.D, name string) any {
	pipeline, ok := field(command, "pipeline").(bson.A)
	if !ok || len(pipeline) == 0 {
		return nil
	}
	last, ok := pipeline[len(pipeline)-1].(bson.D)
	if !ok || len(last) != 1 || last[0].Key != name {
		return nil
	}
	return last[0].Value
}

// matchedDocuments returns the documents that match the first stage's query.
func (s *Step) matchedDocuments() []bson.D {
	query, _ := field(s.Command, "pipeline").(bson.A)[0].(bson.D)[0].Value.(bson.D)
	var docs []bson.D
	for _, raw := range s.Before {
		var d bson.D
		if err := bson.Unmarshal(raw, &d); err != nil {
			s.t.Fatal(err)
		}
		if matches(d, decodeQuery(s, query)) {
			docs = append(docs, d)
		}
	}
	return docs
}

// expects reports whether mongotest answered with these documents, in any order.
func (s *Step) expects(docs []bson.D) bool {
	var lines []string
	for _, d := range docs {
		lines = append(lines, text(d))
	}
	slices.Sort(lines)
	return s.Mongotest.Code == 0 && s.Mongotest.Fields["documents"] == fmt.Sprint(lines)
}

// indexOf returns the position of a field, or -1.
func indexOf(d bson.D, name string) int {
	return slices.IndexFunc(d, func(e bson.E) bool { return e.Key == name })
}

func unwind(docs []bson.D, name string, preserve bool) []bson.D {
	var out []bson.D
	for _, d := range docs {
		i := indexOf(d, name)
		var array bson.A
		isArray := false
		if i >= 0 {
			array, isArray = d[i].Value.(bson.A)
		}
		switch {
		case isArray && len(array) > 0:
			for _, element := range array {
				one := slices.Clone(d)
				one[i].Value = element
				out = append(out, one)
			}
		case isArray && preserve:
			out = append(out, slices.Delete(slices.Clone(d), i, i+1))
		case i >= 0 && !isArray && d[i].Value != nil, preserve && !isArray:
			out = append(out, d)
		}
	}
	return out
}

// setField adds the value of a field as w. For $project it only keeps _id and n besides.
func setField(docs []bson.D, name string, project bool) []bson.D {
	var out []bson.D
	for _, d := range docs {
		var kept bson.D
		for _, e := range d {
			if e.Key != "w" && (!project || e.Key == "_id" || e.Key == "n") {
				kept = append(kept, e)
			}
		}
		if i := indexOf(d, name); i >= 0 {
			kept = append(kept, bson.E{Key: "w", Value: d[i].Value})
		}
		out = append(out, kept)
	}
	return out
}

// setNested sets d.new to 1. If d is not a document it becomes one; in an array, each element does.
func setNested(docs []bson.D) []bson.D {
	var out []bson.D
	for _, d := range docs {
		d = slices.Clone(d)
		if i := indexOf(d, "d"); i >= 0 {
			d[i].Value = nest(d[i].Value)
		} else {
			d = append(d, bson.E{Key: "d", Value: nest(nil)})
		}
		out = append(out, d)
	}
	return out
}

func nest(v any) any {
	switch v := v.(type) {
	case bson.D:
		if i := indexOf(v, "new"); i >= 0 {
			v = slices.Clone(v)
			v[i].Value = int32(1)
			return v
		}
		return append(slices.Clone(v), bson.E{Key: "new", Value: int32(1)})
	case bson.A:
		out := bson.A{}
		for _, element := range v {
			out = append(out, nest(element))
		}
		return out
	default:
		return bson.Doc("new", int32(1))
	}
}

// groupDocuments counts the documents of each group, and adds up their n.
func groupDocuments(docs []bson.D, by any) []bson.D {
	type group struct {
		id    any
		count int32
		whole int64
		part  float64
		kind  int // of the sum: 0 int32, 1 int64, 2 double
	}
	var groups []*group
	for _, d := range docs {
		id := keyOf(d, by)
		i := slices.IndexFunc(groups, func(g *group) bool { return text(g.id) == text(id) })
		if i < 0 {
			groups, i = append(groups, &group{id: id}), len(groups)
		}
		g := groups[i]
		g.count++
		if indexOf(d, "n") < 0 {
			continue
		}
		switch n := d[indexOf(d, "n")].Value.(type) {
		case int32:
			g.whole += int64(n)
		case int64:
			g.whole, g.kind = g.whole+n, max(g.kind, 1)
		case float64:
			g.part, g.kind = g.part+n, 2
		}
	}
	var out []bson.D
	for _, g := range groups {
		var total any = g.part + float64(g.whole)
		switch g.kind {
		case 0:
			total = int32(g.whole)
		case 1:
			total = g.whole
		}
		out = append(out, bson.Doc("_id", g.id, "c", g.count, "total", total))
	}
	return out
}

// keyOf returns the group that a document belongs to.
func keyOf(d bson.D, by any) any {
	switch by := by.(type) {
	case string:
		if i := indexOf(d, by[1:]); i >= 0 {
			return d[i].Value
		}
	case bson.D:
		if by[0].Key == "s" {
			if i := indexOf(d, "s"); i >= 0 {
				return bson.Doc("s", d[i].Value)
			}
			return bson.D{}
		}
		i := indexOf(d, "v")
		if i < 0 {
			return "missing"
		}
		raw, _ := bson.Marshal(bson.Doc("v", d[i].Value))
		return typeNames[byte(raw.Lookup("v").Type)]
	}
	return nil
}

// typeNames are the results of $type for the types that the generator makes.
var typeNames = map[byte]string{1: "double", 2: "string", 3: "object", 4: "array", 5: "binData", 7: "objectId", 8: "bool", 9: "date", 10: "null", 16: "int", 17: "timestamp", 18: "long"}
