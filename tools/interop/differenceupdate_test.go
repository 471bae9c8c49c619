package interop

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/specdrivers/onion/bson"
)

var updates = []Difference{
	{
		Name:   "conflicting updates",
		Manual: "an update that names a path twice, or one within another, fails with ConflictingUpdateOperators (40), even if it matches nothing; FerretDB executes some of them, and ignores the conflict if nothing matches",
		Matches: func(s *Step) bool {
			change := s.firstUpdate()
			return change != nil && isConflicting(change) && (s.Mongotest.Code == 40 || strings.Contains(s.Mongotest.Fields["writeErrors"], `{"$numberInt":"0"} {"$numberInt":"40"};`))
		},
	},
	{
		Name:   "updates that change nothing",
		Manual: "nModified counts only documents that changed; FerretDB also counts some that did not, such as documents to which $inc adds 0",
		Matches: func(s *Step) bool {
			rest := Answer{Fields: map[string]string{}, After: s.Mongotest.After}
			for name, v := range s.Ferret.Fields {
				rest.Fields[name] = v
			}
			rest.Fields["nModified"] = s.Mongotest.Fields["nModified"]
			return s.name() == "update" && s.Ferret.After == "" && rest.equal(s.Mongotest) && s.Mongotest.Fields["nModified"] == text(int32(s.countChanged()))
		},
	},
	{
		Name:   "$setOnInsert with null, empty arrays and dotted paths",
		Manual: "on insert, $setOnInsert sets any path to any value, as $set does; FerretDB ignores null, empty arrays, and paths with a dot",
		Matches: func(s *Step) bool {
			change := s.firstUpdate()
			i := indexOf(change, "$setOnInsert")
			if i < 0 || !strings.Contains(s.Ferret.Fields["upserted"]+s.Ferret.Fields["lastErrorObject"], "upserted") && s.Ferret.Fields["upserted"] == "" {
				return false
			}
			set, _ := change[i].Value.(bson.D)
			hard := slices.ContainsFunc(set, func(e bson.E) bool { return e.Value == nil || text(e.Value) == "[]" || strings.Contains(e.Key, ".") })
			renamed := slices.Delete(slices.Clone(change), i, i+1)
			if j := indexOf(renamed, "$set"); j >= 0 {
				first, _ := renamed[j].Value.(bson.D)
				renamed[j].Value = slices.Concat(first, set)
			} else {
				renamed = append(renamed, bson.E{Key: "$set", Value: set})
			}
			return hard && s.askFerret(s.replaceUpdate(renamed)).equal(s.Mongotest)
		},
	},
	{
		Name:   "the order of new fields",
		Manual: "an update adds new fields in the order of their names; FerretDB adds them in the order of the operators",
		Matches: func(s *Step) bool {
			// A findAndModify that returns the new document differs only in its value, not in what it says about the
			// update.
			same := Answer{Fields: maps.Clone(s.Ferret.Fields), After: s.Mongotest.After}
			if s.name() == "findAndModify" && same.Fields != nil {
				same.Fields["value"] = s.Mongotest.Fields["value"]
			}
			if s.firstUpdate() == nil || s.Ferret.Code != 0 || !same.equal(s.Mongotest) {
				return false
			}
			all := bson.Doc("find", s.pair.collection, "sort", bson.Doc("_id", 1), "batchSize", 1000)
			_, theirs := runForAnswer(s.t, s.pair.theirs, all)
			_, ours := runForAnswer(s.t, s.pair.ours, all)
			return sortedFields(theirs) == sortedFields(ours) && s.hasNewFieldsInOrder(ours)
		},
	},
}

// firstUpdate returns the first update of the step's command, or nil.
func (s *Step) firstUpdate() bson.D {
	change, _ := field(s.Command, "update").(bson.D)
	if statements, ok := field(s.Command, "updates").(bson.A); ok && len(statements) > 0 {
		statement, _ := statements[0].(bson.D)
		change, _ = field(statement, "u").(bson.D)
	}
	return change
}

// replaceUpdate returns the command with another first update.
func (s *Step) replaceUpdate(change bson.D) bson.D {
	out := slices.Clone(s.Command)
	if i := indexOf(out, "update"); i > 0 {
		out[i].Value = change
		return out
	}
	statements := slices.Clone(field(out, "updates").(bson.A))
	statement := slices.Clone(statements[0].(bson.D))
	statement[indexOf(statement, "u")].Value = change
	statements[0] = statement
	out[indexOf(out, "updates")].Value = statements
	return out
}

// countChanged counts the documents that mongotest's update changed.
func (s *Step) countChanged() int {
	before := map[string]string{}
	for _, doc := range s.Before {
		before[text(doc.Lookup("_id"))] = text(doc)
	}
	n := 0
	_, after := runForAnswer(s.t, s.pair.ours, bson.Doc("find", s.pair.collection, "batchSize", 1000))
	for _, doc := range after {
		if was, ok := before[text(doc.Lookup("_id"))]; ok && was != text(doc) {
			n++
		}
	}
	return n
}

// sortedFields returns documents as text, with the fields of each sorted by name.
func sortedFields(docs []bson.Raw) string {
	var lines []string
	for _, raw := range docs {
		var d bson.D
		if err := bson.Unmarshal(raw, &d); err != nil {
			return err.Error()
		}
		lines = append(lines, text(sortByName(d)))
	}
	return fmt.Sprint(lines)
}

func sortByName(v any) any {
	switch v := v.(type) {
	case bson.D:
		out := bson.D{}
		for _, e := range v {
			out = append(out, bson.E{Key: e.Key, Value: sortByName(e.Value)})
		}
		slices.SortFunc(out, func(a, b bson.E) int { return strings.Compare(a.Key, b.Key) })
		return out
	case bson.A:
		out := bson.A{}
		for _, element := range v {
			out = append(out, sortByName(element))
		}
		return out
	}
	return v
}

// hasNewFieldsInOrder reports whether the fields that an update added are at the end of the documents, sorted by name.
func (s *Step) hasNewFieldsInOrder(after []bson.Raw) bool {
	before := map[string]bson.Raw{}
	for _, doc := range s.Before {
		before[text(doc.Lookup("_id"))] = doc
	}
	for _, raw := range after {
		var d bson.D
		if err := bson.Unmarshal(raw, &d); err != nil {
			return false
		}
		var added []string
		was := before[text(raw.Lookup("_id"))]
		for _, e := range d {
			if was.Lookup(e.Key).Type == 0 && was != nil {
				added = append(added, e.Key)
			} else if len(added) > 0 {
				return false
			}
		}
		if !slices.IsSorted(added) {
			return false
		}
	}
	return true
}

// isConflicting reports whether an update names a path twice, or a path and one below it.
func isConflicting(change bson.D) bool {
	var paths []string
	for _, operator := range change {
		fields, _ := operator.Value.(bson.D)
		for _, f := range fields {
			paths = append(paths, f.Key+".")
			if to, ok := f.Value.(string); ok && operator.Key == "$rename" {
				paths = append(paths, to+".")
			}
		}
	}
	for i, a := range paths {
		for _, b := range paths[i+1:] {
			if strings.HasPrefix(a, b) || strings.HasPrefix(b, a) {
				return true
			}
		}
	}
	return false
}
