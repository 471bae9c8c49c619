package main

import (
	"errors"
	"maps"
	"regexp"
	"slices"
)

// notMirrored are declarations that no table mirrors, and why.
var notMirrored = map[string]string{
	crudDoc + " WriteModel":                "it has no members",
	bulkDoc + " WriteModel":                "it has no members",
	bulkDoc + " InsertOneModel":            "the model of a bulk write on a collection serves",
	bulkDoc + " UpdateOneModel":            "the model of a bulk write on a collection serves",
	bulkDoc + " UpdateManyModel":           "the model of a bulk write on a collection serves",
	bulkDoc + " ReplaceOneModel":           "the model of a bulk write on a collection serves",
	bulkDoc + " DeleteOneModel":            "the model of a bulk write on a collection serves",
	bulkDoc + " DeleteManyModel":           "the model of a bulk write on a collection serves",
	bulkDoc + " BulkWriteResult":           "ClientBulkWriteResult joins its two forms",
	bulkDoc + " InsertOneResult":           "the result of a single write serves",
	bulkDoc + " UpdateResult":              "the result of a single write serves",
	bulkDoc + " DeleteResult":              "the result of a single write serves",
	indexDoc + " CreateIndexesOptions":     "the same as CreateIndexOptions",
	indexDoc + " DropIndexesOptions":       "the same as DropIndexOptions",
	indexDoc + " CreateOneIndexOptions":    "the same as CreateIndexOptions",
	indexDoc + " CreateManyIndexesOptions": "the same as CreateIndexOptions",
	indexDoc + " DropOneIndexOptions":      "the same as DropIndexOptions",
	indexDoc + " DropAllIndexesOptions":    "the same as DropIndexOptions",
	indexDoc + " CreateSearchIndexOptions": "it has no members",
	indexDoc + " UpdateSearchIndexOptions": "it has no members",
	indexDoc + " ListSearchIndexOptions":   "it has no members",
	indexDoc + " DropSearchIndexOptions":   "it has no members",
}

var opening = regexp.MustCompile(`^ *(?:class|interface|enum) (\w+(?:Options|Model|Result|Params|Level|Type|Document))\b`)

// undeclared reports declarations of options, models and results that are neither mirrored nor left out with a reason,
// and reasons for what is gone or mirrored after all.
func undeclared(open openFunc) error {
	mirrored := map[string]bool{}
	paths := map[string]bool{}
	for _, d := range slices.Concat(declaredTypes, declaredEnums, declaredCommands) {
		for _, part := range append([]declared{d}, d.more...) {
			paths[part.path] = true
			for _, name := range part.names {
				mirrored[part.path+" "+name] = true
			}
		}
	}
	var problems []error
	found := map[string]bool{}
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		d, err := open(path)
		if err != nil {
			return err
		}
		for i, line := range d.lines {
			m := opening.FindStringSubmatch(line)
			if m == nil {
				continue
			}
			key := path + " " + m[1]
			found[key] = true
			if !mirrored[key] && notMirrored[key] == "" {
				problems = append(problems, d.errorf(i+1, "no table mirrors %s", m[1]))
			}
		}
	}
	for _, key := range slices.Sorted(maps.Keys(notMirrored)) {
		if !found[key] || mirrored[key] {
			problems = append(problems, errors.New("specsync: the reason why nothing mirrors "+key+" is out of date"))
		}
	}
	return errors.Join(problems...)
}
