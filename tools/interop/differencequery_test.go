package interop

import (
	"fmt"
	"slices"
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
)

// The rows of queries compute which documents match. They excuse FerretDB only if it answers as mongotest does when the
// query asks for these documents by their _id.
var queries = []Difference{
	{
		Name:   "$elemMatch with two conditions",
		Manual: "$elemMatch takes any query on the elements; if the first field has operators, FerretDB treats the second field as an unknown operator",
		Matches: func(s *Step) bool {
			return s.Ferret.Code == int(errcode.BadValue) && strings.Contains(shellText(s.Command), `{"$elemMatch":{"k":{"$gte":1},"q":`) && s.agreesByID()
		},
	},
	{
		Name:   "null in arrays",
		Manual: "a query for null through an array matches if one of the array's documents lacks the field, and does not match if the array has no documents; FerretDB does not distinguish the array's documents",
		Matches: func(s *Step) bool {
			return s.Ferret.Code == 0 && asksForNull(s.Command) && s.agreesByID()
		},
	},
	{
		Name:   "$mod and bits in arrays",
		Manual: "$mod and the bitwise operators match an array with an element that they match; FerretDB only matches numbers",
		Matches: func(s *Step) bool {
			text := shellText(s.Command)
			return s.Ferret.Code == 0 && (strings.Contains(text, `{"$mod":[`) || strings.Contains(text, `{"$bits`)) && s.agreesByID()
		},
	},
	{
		Name:   "bits of binary data",
		Manual: "the bitwise operators work on numbers and on binary data; FerretDB does not implement the latter (238)",
		Matches: func(s *Step) bool {
			return s.Ferret.Code == int(errcode.NotImplemented) && strings.Contains(shellText(s.Command), `{"$bits`) && s.agreesByID()
		},
	},
	{
		Name:   "malformed queries of empty collections",
		Manual: "an invalid query fails even if the collection is empty, because it is parsed first; FerretDB fails only when it reaches a document",
		Matches: func(s *Step) bool {
			if !isMistake(s) || len(s.Before) > 0 || s.Ferret.Code != 0 || s.Ferret.Fields["writeErrors"] != "" {
				return false
			}
			doc := bson.Doc("_id", 1, "n", 1, "s", "x", "t", bson.A{1})
			ask(s.t, s.pair.theirs, bson.Doc("insert", s.pair.collection, "documents", bson.A{doc}))
			a := ask(s.t, s.pair.theirs, s.Command)
			return a.Code == s.Mongotest.Code && a.Fields["writeErrors"] == s.Mongotest.Fields["writeErrors"] && (a.Code != 0 || a.Fields["writeErrors"] != "")
		},
	},
	{
		Name:   "documents as elements",
		Manual: "a query for a document matches an array that contains it; FerretDB compares the document with the whole array",
		Matches: func(s *Step) bool {
			return s.Ferret.Code == 0 && asksForDocument(s.Command) && s.agreesByID()
		},
	},
	{
		Name:   "$exists with other values",
		Manual: "$exists treats every value except false, 0 and null as true; FerretDB treats a string as false",
		Matches: func(s *Step) bool {
			return s.Ferret.Code == 0 && strings.Contains(shellText(s.Command), `{"$exists":"x"}`) && s.agreesByID()
		},
	},
	{
		Name:   "sorts by the fields of an array's documents",
		Manual: "a sort compares the least or the greatest of an array's values, and a missing field counts as null; FerretDB sorts such arrays before null",
		Matches: func(s *Step) bool {
			order, ok := field(s.Command, "sort").(bson.D)
			return ok && s.name() == "find" && s.Ferret.Code == 0 && strings.HasPrefix(order[0].Key, "items.") && s.Mongotest.Fields["documents"] == s.printInOrder(order)
		},
	},
	{
		Name:   "queries in arrays of documents",
		Manual: "a path through an array reaches the field of each of its documents, and a query matches if one of them does; FerretDB compares the list of all fields, or only the first",
		Matches: func(s *Step) bool {
			text := shellText(s.Command)
			return s.Ferret.Code == 0 && (strings.Contains(text, `"items.`) || strings.Contains(text, `"v.x"`)) && s.agreesByID()
		},
	},
}

// asksForNull reports whether null is a value anywhere in a command.
func asksForNull(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case bson.D:
		return slices.ContainsFunc(v, func(e bson.E) bool { return asksForNull(e.Value) })
	case bson.A:
		return slices.ContainsFunc(v, asksForNull)
	}
	return false
}

// asksForDocument reports whether a query has a document as a value.
func asksForDocument(v any) bool {
	switch v := v.(type) {
	case bson.D:
		return slices.ContainsFunc(v, func(e bson.E) bool {
			d, ok := e.Value.(bson.D)
			return ok && (len(d) == 0 || !strings.HasPrefix(d[0].Key, "$")) && e.Key != "u" && e.Key != "filter" && e.Key != "query" && e.Key != "q" && e.Key != "$match" || asksForDocument(e.Value)
		})
	case bson.A:
		return slices.ContainsFunc(v, func(element any) bool {
			d, ok := element.(bson.D)
			return ok && len(d) > 0 && !strings.HasPrefix(d[0].Key, "$") || asksForDocument(element)
		})
	}
	return false
}

// printInOrder prints the documents before the step as a find does that sorts by a field of items, and then by _id.
func (s *Step) printInOrder(sort bson.D) string {
	query, _ := field(s.Command, "filter").(bson.D)
	var docs []bson.D
	for _, raw := range s.Before {
		var doc bson.D
		if err := bson.Unmarshal(raw, &doc); err != nil {
			s.t.Fatal(err)
		}
		if matches(doc, decodeQuery(s, query)) {
			docs = append(docs, doc)
		}
	}
	name := strings.TrimPrefix(sort[0].Key, "items.")
	slices.SortStableFunc(docs, func(a, b bson.D) int {
		if c := compareValues(extremeValue(a, name, sort[0].Value), extremeValue(b, name, sort[0].Value)); c != 0 || len(sort) == 1 {
			return c * int(toNumber(sort[0].Value))
		}
		return compareValues(a[0].Value, b[0].Value) * int(toNumber(sort[1].Value))
	})
	skip, limit := int(max(0, numberOrZero(s.Command, "skip"))), int(numberOrZero(s.Command, "limit"))
	docs = docs[min(skip, len(docs)):]
	if limit > 0 {
		docs = docs[:min(limit, len(docs))]
	}
	lines := []string{}
	for _, d := range docs {
		lines = append(lines, text(d))
	}
	return fmt.Sprint(lines)
}

func numberOrZero(command bson.D, name string) float64 {
	if v := field(command, name); v != nil {
		return toNumber(v)
	}
	return 0
}

// extremeValue returns the least or the greatest value that a document's items have in a field, or null if there is none.
func extremeValue(doc bson.D, name string, direction any) any {
	switch items := field(doc, "items").(type) {
	case bson.D:
		return field(items, name)
	case bson.A:
		var keys []any
		for _, item := range items {
			d, _ := item.(bson.D)
			keys = append(keys, field(d, name))
		}
		if len(keys) > 0 && toNumber(direction) < 0 {
			return slices.MaxFunc(keys, compareValues)
		} else if len(keys) > 0 {
			return slices.MinFunc(keys, compareValues)
		}
	}
	return nil
}

// agreesByID reports whether FerretDB's answer equals mongotest's after each query of the command is replaced by the
// identifiers of the documents that match it.
func (s *Step) agreesByID() bool {
	if strings.Contains(shellText(s.Command), `"upsert":true`) {
		return false // an upsert copies the query's fields into the new document
	}
	command, ok := s.replaceQueries(s.Command)
	if !ok {
		return false
	}
	return dropKnownDifferences(command, s.askFerret(command), s.Mongotest).equal(s.Mongotest)
}

// dropKnownDifferences returns FerretDB's answer without the differences that have rows of their own: the empty batch after a limit,
// and the counts next to write errors.
func dropKnownDifferences(command bson.D, ferret, mongotest Answer) Answer {
	if limit := int(numberOrZero(command, "limit")); limit > 0 && sum(ferret.Fields["batches"]) == limit {
		if batches, ok := strings.CutSuffix(ferret.Fields["batches"], " 0]"); ok {
			ferret.Fields["batches"] = batches + "]"
		}
	}
	if _, has := ferret.Fields["n"]; !has && command[0].Key == "update" && ferret.Fields["writeErrors"] != "" {
		ferret.Fields["n"], ferret.Fields["nModified"] = mongotest.Fields["n"], mongotest.Fields["nModified"]
	}
	return ferret
}

// queryByID returns a query for the documents that match another query.
func (s *Step) queryByID(query bson.D) bson.D {
	ids := bson.A{}
	for _, raw := range s.Before {
		var doc bson.D
		if err := bson.Unmarshal(raw, &doc); err != nil {
			s.t.Fatal(err)
		}
		if matches(doc, decodeQuery(s, query)) {
			ids = append(ids, doc[0].Value)
		}
	}
	return bson.Doc("_id", bson.Doc("$in", ids))
}

// decodeQuery returns a query with the types that its values get when it is decoded.
func decodeQuery(s *Step, query bson.D) bson.D {
	if query == nil {
		return bson.D{}
	}
	raw, err := bson.Marshal(query)
	if err != nil {
		s.t.Fatal(err)
	}
	var out bson.D
	if err := bson.Unmarshal(raw, &out); err != nil {
		s.t.Fatal(err)
	}
	return out
}

// replaceQueries replaces the queries of a command. It fails for one that has none.
func (s *Step) replaceQueries(command bson.D) (bson.D, bool) {
	out, ok := slices.Clone(command), false
	for i, e := range command {
		switch v := e.Value.(type) {
		case bson.D:
			if e.Key == "filter" || e.Key == "query" {
				out[i].Value, ok = s.queryByID(v), true
			}
		case bson.A:
			statements := slices.Clone(v)
			for j, element := range v {
				statement, isDocument := element.(bson.D)
				if !isDocument || len(statement) == 0 {
					return nil, false
				}
				query, isQuery := statement[0].Value.(bson.D)
				if isQuery && j == 0 && (statement[0].Key == "q" || statement[0].Key == "$match") {
					statement = slices.Clone(statement)
					statement[0].Value, ok = s.queryByID(query), true
					statements[j] = statement
				}
			}
			out[i].Value = statements
		}
	}
	return out, ok
}
