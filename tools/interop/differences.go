package interop

import (
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
)

// Difference is a way in which FerretDB v1.24.2 answers otherwise than mongotest, which follows MongoDB's manual.
type Difference struct {
	Name   string
	Manual string // what MongoDB's manual says
	// Matches tells whether the answers to a command differ in this way.
	Matches func(command bson.D, ferret, mongotest Answer) bool
}

// Answer is the part of a reply that servers must agree on: an error's code, 0 for none, or the fields in extended JSON.
type Answer struct {
	Code   int
	Fields map[string]string
}

// Differences are all those that the generated commands show.
var Differences = []Difference{
	{
		Name:   "a second accumulator",
		Manual: "$group computes each accumulator from all documents of the group; FerretDB's second one sees none, and $sum is 0",
		Matches: func(command bson.D, ferret, mongotest Answer) bool {
			return stage(command, "$group") && strings.Contains(ferret.Fields["documents"], `"total":{"$numberInt":"0"}`) && mongotest.Code == 0
		},
	},
	{
		Name:   "field paths in $set",
		Manual: "$addFields and $set take expressions, and \"$n\" is the value of the field n; FerretDB keeps the text",
		Matches: func(command bson.D, ferret, mongotest Answer) bool {
			return (stage(command, "$set") || stage(command, "$addFields")) && strings.Contains(ferret.Fields["documents"], `"w":"$`) && mongotest.Code == 0
		},
	},
	{
		Name:   "$unwind loses fields",
		Manual: "$unwind outputs the input document with the array's field replaced by an element; FerretDB keeps only _id and that field",
		Matches: func(command bson.D, ferret, mongotest Answer) bool {
			return stage(command, "$unwind") && ferret.Code == 0 && mongotest.Code == 0
		},
	},
	{
		Name:   "$unwind with options",
		Manual: "$unwind takes a document with path and preserveNullAndEmptyArrays; FerretDB does not implement it",
		Matches: func(command bson.D, ferret, mongotest Answer) bool {
			return stage(command, "$unwind") && ferret.Code == int(errcode.NotImplemented) && mongotest.Code == 0
		},
	},
	{
		Name:   "unique index on duplicates",
		Manual: "createIndexes fails with DuplicateKey (11000) if documents violate a unique index; FerretDB fails with InternalError (1)",
		Matches: func(command bson.D, ferret, mongotest Answer) bool {
			return command[0].Key == "createIndexes" && ferret.Code == int(errcode.InternalError) && mongotest.Code == int(errcode.DuplicateKey)
		},
	},
	{
		Name:   "unique index on missing values",
		Manual: "a unique index stores null for a document without the field, so that only one may lack it; FerretDB lets many",
		Matches: func(command bson.D, ferret, mongotest Answer) bool {
			return command[0].Key == "createIndexes" && ferret.Code == 0 && mongotest.Code == int(errcode.DuplicateKey)
		},
	},
	{
		Name:   "inserts of missing values under a unique index",
		Manual: "as above: the second document without the field fails with DuplicateKey (11000); FerretDB inserts it",
		Matches: func(command bson.D, ferret, mongotest Answer) bool {
			duplicates := func(a Answer) int { return strings.Count(a.Fields["writeErrors"], `"11000"`) }
			return command[0].Key == "insert" && duplicates(mongotest) > duplicates(ferret)
		},
	},
	{
		Name:   "drop of a missing collection",
		Manual: "since 7.0 dropping a collection that does not exist succeeds, and nIndexesWas is only there if it did exist; FerretDB says 1",
		Matches: func(command bson.D, ferret, mongotest Answer) bool {
			_, has := mongotest.Fields["nIndexesWas"]
			return command[0].Key == "drop" && ferret.Code == 0 && mongotest.Code == 0 && !has
		},
	},
	{
		Name:   "counts beside write errors",
		Manual: "update's reply has n and nModified with or without writeErrors; FerretDB leaves them out",
		Matches: func(command bson.D, ferret, mongotest Answer) bool {
			_, has := ferret.Fields["n"]
			return command[0].Key == "update" && !has && ferret.Fields["writeErrors"] != "" && ferret.Fields["writeErrors"] == mongotest.Fields["writeErrors"]
		},
	},
}

// stage tells whether an aggregation's last stage is this one.
func stage(command bson.D, name string) bool {
	if command[0].Key != "aggregate" {
		return false
	}
	pipeline := command[1].Value.(bson.A)
	return pipeline[len(pipeline)-1].(bson.D)[0].Key == name
}
