package interop

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
)

// Difference is a way in which FerretDB v1.24.2 differs from mongotest, which follows MongoDB's manual.
type Difference struct {
	Name   string
	Manual string // what MongoDB's manual says, and what FerretDB does
	// Matches reports whether a step shows this difference and nothing else. It computes what mongotest must answer.
	Matches func(*Step) bool
	// Rare is set for a difference that FerretDB only shows now and then. The usual seeds need not show it.
	Rare bool
}

// Step is a command whose answers differ.
type Step struct {
	Command           bson.D
	Before            []bson.Raw // the documents that both servers had
	Ferret, Mongotest Answer

	pair *pair
	t    *testing.T
}

func (s *Step) String() string {
	return fmt.Sprintf("  differs  %s\n  FerretDB  %s\n  mongotest %s", shellText(s.Command), s.Ferret, s.Mongotest)
}

func (s *Step) name() string { return s.Command[0].Key }

// Differences are all those that the generated commands show.
var Differences = slices.Concat(replies, queries, updates, stages, indexRows, fixedRows)

var replies = []Difference{
	{
		Name:   "counts next to write errors",
		Manual: "update's reply has n and nModified with or without writeErrors; FerretDB omits them with writeErrors",
		Matches: func(s *Step) bool {
			if s.name() != "update" || s.Ferret.Fields["writeErrors"] == "" || s.Ferret.After != "" {
				return false
			}
			_, has := s.Ferret.Fields["n"]
			rest := Answer{Fields: map[string]string{"writeErrors": s.Mongotest.Fields["writeErrors"]}}
			return !has && s.Ferret.equal(rest) && len(s.Mongotest.Fields) == 3 && s.Mongotest.Fields["n"] != "" && s.Mongotest.Fields["nModified"] != ""
		},
	},
	{
		Name:   "updates that match nothing",
		Manual: "an invalid update fails even if no document matches, because it is parsed first; FerretDB fails only when a document matches",
		Matches: func(s *Step) bool {
			if s.name() != "update" || s.Ferret.Code != 0 || s.Ferret.Fields["writeErrors"] != "" || s.Ferret.Fields["n"] != `{"$numberInt":"0"}` {
				return false
			}
			failed := []string{"2", "9", "14", "52", "56"}
			if !isMistake(s) {
				failed = nil
			}
			return slices.ContainsFunc(failed, func(code string) bool {
				return s.Mongotest.Fields["writeErrors"] == `{"$numberInt":"0"} {"$numberInt":"`+code+`"};`
			})
		},
	},
	{
		Name:   "dropping a missing collection",
		Manual: "since 7.0 dropping a collection that does not exist succeeds, without nIndexesWas in the reply; FerretDB replies with nIndexesWas: 1",
		Matches: func(s *Step) bool {
			return s.name() == "drop" && s.Ferret.equal(Answer{Fields: map[string]string{"nIndexesWas": `{"$numberInt":"1"}`}}) && s.Mongotest.equal(Answer{Fields: map[string]string{}})
		},
	},
	{
		Name:   "creating an existing collection",
		Manual: "since 7.0 creating a collection that exists with the same options succeeds; FerretDB fails with NamespaceExists (48)",
		Matches: func(s *Step) bool {
			if s.name() != "create" || s.Ferret.Code != int(errcode.NamespaceExists) || s.Mongotest.Code != 0 {
				return false
			}
			reply, _ := runRaw(s.t, s.pair.theirs, bson.Doc("listCollections", 1, "filter", bson.Doc("name", s.Command[0].Value)))
			listed := values(reply.Lookup("cursor", "firstBatch"))
			if len(listed) != 1 {
				return false
			}
			doc, _ := listed[0].DocumentOK()
			limit, _ := doc.Lookup("options", "max").AsInt64OK()
			capped, _ := doc.Lookup("options", "capped").AsBoolOK()
			wanted, _ := field(s.Command, "max").(int32)
			return capped == (field(s.Command, "capped") != nil) && limit == int64(wanted)
		},
	},
	{
		Name:   "types in listCollections with nameOnly",
		Manual: "listCollections with nameOnly returns names and types; FerretDB returns only names",
		Matches: func(s *Step) bool {
			return s.name() == "listCollections" && s.Ferret.Code == 0 && s.Mongotest.Code == 0 && field(s.Command, "nameOnly") == true &&
				strings.ReplaceAll(s.Mongotest.Fields["documents"], `,"type":"collection"}`, "}") == s.Ferret.Fields["documents"]
		},
	},
	{
		Name:   "a batch that reaches the limit",
		Manual: "the batch that reaches the limit is a cursor's last; FerretDB returns an empty batch after it",
		Matches: func(s *Step) bool {
			limit, _ := field(s.Command, "limit").(int32)
			without := func(a Answer) map[string]string { return map[string]string{"documents": a.Fields["documents"]} }
			return s.name() == "find" && s.Ferret.Code == 0 && s.Mongotest.Code == 0 && fmt.Sprint(without(s.Ferret)) == fmt.Sprint(without(s.Mongotest)) &&
				s.Ferret.Fields["batches"] == strings.TrimSuffix(s.Mongotest.Fields["batches"], "]")+" 0]" && sum(s.Mongotest.Fields["batches"]) == int(limit)
		},
	},
}

// sum adds the numbers of a list as fmt prints it.
func sum(list string) int {
	total := 0
	for _, word := range strings.Fields(strings.Trim(list, "[]")) {
		n := 0
		fmt.Sscan(word, &n)
		total += n
	}
	return total
}

// askFerret runs another command on FerretDB, on the documents from before the step.
func (s *Step) askFerret(command bson.D) Answer {
	if writes(command) {
		p := s.pair
		ask(s.t, p.theirs, bson.Doc("drop", p.collection))
		ask(s.t, p.theirs, bson.Doc("create", p.collection))
		if len(s.Before) > 0 {
			ask(s.t, p.theirs, bson.Doc("insert", p.collection, "documents", s.Before))
		}
	}
	a := ask(s.t, s.pair.theirs, command)
	if s.Mongotest.After != "" {
		a.After = ask(s.t, s.pair.theirs, bson.Doc("find", s.pair.collection, "sort", bson.Doc("_id", 1), "batchSize", 1000)).Fields["documents"]
	}
	return a
}
