package interop

import (
	"slices"
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
)

var indexRows = []Difference{
	{
		Name:   "unique index on duplicates",
		Manual: "createIndexes fails with DuplicateKey (11000) if documents violate a unique index; FerretDB fails with InternalError (1)",
		Matches: func(s *Step) bool {
			return s.name() == "createIndexes" && s.Ferret.Code == int(errcode.InternalError) && s.Mongotest.Code == int(errcode.DuplicateKey) && hasDuplicates(s.Before, newIndexKey(s.Command))
		},
	},
	{
		Name:   "unique index on missing values",
		Manual: "a unique index stores null for a document without the field, so that only one document may lack the field; FerretDB accepts several",
		Matches: func(s *Step) bool {
			return s.name() == "createIndexes" && s.Ferret.Code == 0 && s.Mongotest.Code == int(errcode.DuplicateKey) && hasDuplicates(s.Before, newIndexKey(s.Command))
		},
	},
	{
		Name:   "an index whose name and key both exist",
		Manual: "the name is compared first: the same name with another key is IndexKeySpecsConflict (86); FerretDB compares the key first (85)",
		Matches: func(s *Step) bool {
			if s.name() != "createIndexes" || s.Ferret.Code != int(errcode.IndexOptionsConflict) || s.Mongotest.Code != int(errcode.IndexKeySpecsConflict) {
				return false
			}
			named, keyed, _ := s.findExisting()
			return named && keyed
		},
	},
	{
		Name:   "unique is part of an index",
		Manual: "since 5.0 two indexes with the same key are the same index only if both are unique or neither is: otherwise the same name is IndexKeySpecsConflict (86), and with two names both exist; FerretDB treats them as one",
		Matches: func(s *Step) bool {
			if s.name() != "createIndexes" {
				return false
			}
			_, _, other := s.findExisting()
			switch s.Mongotest.Code {
			case int(errcode.IndexKeySpecsConflict):
				return other && s.Ferret.Code == 0
			case int(errcode.DuplicateKey):
				return other && hasDuplicates(s.Before, newIndexKey(s.Command))
			case 0:
				return other && s.Ferret.Code == int(errcode.IndexOptionsConflict)
			}
			return false
		},
	},
	{
		Name:   "writes under a unique index",
		Manual: "an insert or update of a second document with the same key fails with DuplicateKey (11000); FerretDB writes it, or fails with InternalError (1)",
		Matches: func(s *Step) bool {
			if !changesDocuments(s.Command) {
				return false
			}
			all := bson.Doc("find", s.pair.collection, "batchSize", 1000)
			_, theirs := runForAnswer(s.t, s.pair.theirs, all)
			_, ours := runForAnswer(s.t, s.pair.ours, all)
			return slices.ContainsFunc(s.pair.uniqueFields(), func(index []string) bool {
				refused := s.Ferret.Code == int(errcode.InternalError) && s.Mongotest.Fields["nModified"] == text(int32(s.countChanged()))
				return (hasDuplicates(theirs, index) || refused) && !hasDuplicates(ours, index)
			}) && strings.Contains(s.Mongotest.Fields["writeErrors"]+s.Mongotest.String(), "11000")
		},
	},
}

// findExisting compares the index to be created with mongotest's indexes: whether one has its name with another key, has its key, or
// has its key but is not unique.
func (s *Step) findExisting() (named, keyed, other bool) {
	specs, _ := field(s.Command, "indexes").(bson.A)
	if len(specs) != 1 {
		return false, false, false
	}
	spec, _ := specs[0].(bson.D)
	reply, _ := runRaw(s.t, s.pair.ours, bson.Doc("listIndexes", s.pair.collection))
	for _, v := range values(reply.Lookup("cursor", "firstBatch")) {
		doc, _ := v.DocumentOK()
		same := text(doc.Lookup("key")) == text(field(spec, "key"))
		unique, _ := doc.Lookup("unique").BooleanOK()
		named = named || text(doc.Lookup("name")) == text(field(spec, "name")) && !same
		keyed = keyed || same
		other = other || same && unique != (field(spec, "unique") == true)
	}
	return named, keyed, other
}

// newIndexKey returns the key of the index that a command creates.
func newIndexKey(command bson.D) []string {
	specs, _ := field(command, "indexes").(bson.A)
	if len(specs) != 1 {
		return nil
	}
	spec, _ := specs[0].(bson.D)
	key, _ := field(spec, "key").(bson.D)
	var fields []string
	for _, e := range key {
		fields = append(fields, e.Key)
	}
	return fields
}

// hasDuplicates reports whether two documents have an equal key in these fields. Numbers are equal whatever their types, a
// missing field is null, and an array has a key for each element.
func hasDuplicates(docs []bson.Raw, fields []string) bool {
	seen := map[string]bool{}
	for _, doc := range docs {
		own := []string{""}
		for _, f := range fields {
			var longer []string
			for _, key := range keys(doc, strings.Split(f, ".")) {
				for _, prefix := range own {
					longer = append(longer, prefix+"|"+key)
				}
			}
			own = longer
		}
		slices.Sort(own)
		for _, key := range slices.Compact(own) {
			if seen[key] {
				return true
			}
			seen[key] = true
		}
	}
	return false
}

func keys(doc bson.Raw, path []string) []string {
	v := doc.Lookup(path[0])
	if sub, ok := v.DocumentOK(); ok && len(path) > 1 {
		return keys(sub, path[1:])
	}
	if v.Type == 0 || len(path) > 1 {
		return []string{"null"}
	}
	elements := values(v)
	if _, ok := v.ArrayOK(); !ok {
		elements = []bson.RawValue{v}
	}
	if len(elements) == 0 {
		return []string{"undefined"}
	}
	var out []string
	for _, e := range elements {
		if f, ok := e.AsFloat64OK(); ok {
			out = append(out, text(f))
		} else {
			out = append(out, text(e))
		}
	}
	return out
}

// uniqueFields returns the fields of the unique indexes that were created since the last reset.
func (p *pair) uniqueFields() [][]string {
	var out [][]string
	for _, command := range p.since {
		if specs, _ := field(command, "indexes").(bson.A); len(specs) == 1 {
			if spec, _ := specs[0].(bson.D); field(spec, "unique") == true {
				out = append(out, newIndexKey(command))
			}
		}
	}
	return out
}
