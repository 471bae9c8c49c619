package interop

import (
	"slices"

	"github.com/specdrivers/onion/bson"
)

// isMistake reports whether a step's command is one of the mistakes.
func isMistake(s *Step) bool {
	return slices.ContainsFunc(mistakes(s.pair.collection), func(command bson.D) bool { return shellText(command) == shellText(s.Command) })
}

// matchCases returns a match for commands on the collection c with the text of one of the cases, where FerretDB and mongotest answer
// with the codes of the case. Code 0 means no error, and then mongotest must find no documents.
func matchCases(cases ...fixedCase) func(*Step) bool {
	return func(s *Step) bool {
		command := slices.Clone(s.Command)
		if name, ok := command[0].Value.(string); ok && name == s.pair.collection {
			command[0].Value = "c"
		} else if indexOf(command, "collection") == 1 {
			command[1].Value = "c"
		}
		text := shellText(command)
		return slices.ContainsFunc(cases, func(c fixedCase) bool {
			if c.command != text || c.ferret != s.Ferret.Code || c.mongotest != s.Mongotest.Code && c.mongotest != writeErrorCode(s.Mongotest) {
				return false
			}
			documents, has := s.Mongotest.Fields["documents"]
			return !has || documents == "[]"
		})
	}
}

type fixedCase struct {
	command           string
	ferret, mongotest int
}

// writeErrorCode returns the code of the only write error of an answer, or 0.
func writeErrorCode(a Answer) int {
	if a.Code != 0 || a.Fields["writeErrors"] == "" {
		return 0
	}
	for code := range 100 {
		if a.Fields["writeErrors"] == `{"$numberInt":"0"} `+text(int32(code))+";" {
			return code
		}
	}
	return -1
}

// fixedRows are the rows for commands that are wrong on purpose.
var fixedRows = []Difference{
	{
		Name:   "malformed query operators",
		Manual: "an operator whose operand is malformed is an error; FerretDB ignores an empty $type or $not, unknown type codes and stray fields, and drops the connection if $mod is not an array",
		Matches: matchCases(
			fixedCase{`{"find":"c","filter":{"n":{"$mod":"a"}}}`, connectionDropped, 2}, fixedCase{`{"find":"c","filter":{"n":{"$mod":"a"}}}`, 0, 2}, fixedCase{`{"find":"c","filter":{"n":{"$type":[]}}}`, 0, 9}, fixedCase{`{"find":"c","filter":{"n":{"$not":{}}}}`, 0, 2},
			fixedCase{`{"find":"c","filter":{"n":{"$options":"i"}}}`, 0, 2}, fixedCase{`{"find":"c","filter":{"n":{"$eq":1,"x":1}}}`, 0, 2}, fixedCase{`{"find":"c","filter":{"n":{"$type":99}}}`, 0, 2},
		),
	},
	{
		Name:    "empty names in queries",
		Manual:  "a query may use a path with an empty name; FerretDB fails with InternalError (1)",
		Matches: matchCases(fixedCase{`{"find":"c","filter":{"a..b":1}}`, 1, 0}),
	},
	{
		Name:    "empty names in sorts",
		Manual:  "an empty path is code 40352, and a path that ends in a dot 40353, as everywhere; FerretDB returns 15998 for both",
		Matches: matchCases(fixedCase{`{"find":"c","sort":{"":1}}`, 15998, 40352}, fixedCase{`{"find":"c","sort":{"n.":1}}`, 15998, 40353}),
	},
	{
		Name:   "unknown fields of commands",
		Manual: "an unknown field is code 40415; FerretDB returns FailedToParse (9)",
		Matches: matchCases(
			fixedCase{`{"find":"c","nothing":1}`, 9, 40415}, fixedCase{`{"findAndModify":"c","nothing":1}`, 9, 40415},
			fixedCase{`{"update":"c","updates":[{"q":{},"u":{"$set":{"n":1}},"nothing":true}]}`, 9, 40415},
		),
	},
	{
		Name:   "missing fields of commands",
		Manual: "a missing required field is code 40414; FerretDB treats some as empty, and returns TypeMismatch (14) or BadValue (2) for others",
		Matches: matchCases(
			fixedCase{`{"insert":"c"}`, 0, 40414}, fixedCase{`{"update":"c"}`, 0, 40414}, fixedCase{`{"delete":"c"}`, 0, 40414}, fixedCase{`{"update":"c","updates":[{"q":{}}]}`, 0, 40414}, fixedCase{`{"update":"c","updates":[{"u":{"n":1}}]}`, 0, 40414},
			fixedCase{`{"aggregate":"c"}`, 14, 40414}, fixedCase{`{"killCursors":"c"}`, 2, 40414},
		),
	},
	{
		Name:    "empty write commands",
		Manual:  "a write command must have 1 to 100,000 operations, or fails with InvalidLength (16); FerretDB accepts an empty one",
		Matches: matchCases(fixedCase{`{"insert":"c","documents":[]}`, 0, 16}, fixedCase{`{"update":"c","updates":[]}`, 0, 16}, fixedCase{`{"delete":"c","deletes":[]}`, 0, 16}),
	},
	{
		Name:   "wrong types in commands",
		Manual: "a field of the wrong type is TypeMismatch (14), but an update of the wrong type is FailedToParse (9); FerretDB drops the connection if updates is not an array, and returns other codes",
		Matches: matchCases(fixedCase{`{"update":"c","updates":1}`, connectionDropped, 14}, fixedCase{`{"update":"c","updates":[{"q":{},"u":1}]}`, 14, 9},
			fixedCase{`{"explain":1}`, 2, 14}),
	},
	{
		Name:    "limit of a delete",
		Manual:  "a limit that is not a number counts as 0; FerretDB fails with FailedToParse (9)",
		Matches: matchCases(fixedCase{`{"delete":"c","deletes":[{"q":{},"limit":"a"}]}`, 9, 0}),
	},
	{
		Name:    "limit of a count",
		Manual:  "a negative limit means its absolute value, and a limit that is not a number is BadValue (2); FerretDB refuses the former, and returns TypeMismatch (14) for the latter",
		Matches: matchCases(fixedCase{`{"count":"c","limit":-1}`, 51024, 0}, fixedCase{`{"count":"c","limit":"a"}`, 14, 2}),
	},
	{
		Name:   "names with dollars in updates",
		Manual: "a name that starts with a dollar in $set is DollarPrefixedFieldName (52), and a name among operators that is not an operator is FailedToParse (9); FerretDB returns 2 and 52",
		Matches: matchCases(fixedCase{`{"update":"c","updates":[{"q":{},"u":{"$set":{"$a":1}}}]}`, 0, 52},
			fixedCase{`{"update":"c","updates":[{"q":{},"u":{"$set":{"n":1},"n":1}}]}`, 0, 9}),
	},
	{
		Name:   "names with dollars in replacements",
		Manual: "a replacement with a name that starts with a dollar fails when it replaces a document; FerretDB refuses it even if nothing matches",
		Matches: func(s *Step) bool {
			same := matchCases(fixedCase{`{"update":"c","updates":[{"q":{},"u":{"n":1,"$set":{"n":1}}}]}`, 0, 0})
			return same(s) && writeErrorCode(s.Ferret) == 52 && writeErrorCode(s.Mongotest) == 0
		},
	},
	{
		Name:    "unknown stages",
		Manual:  "an unknown stage is code 40324; FerretDB returns 40234",
		Matches: matchCases(fixedCase{`{"aggregate":"c","pipeline":[{"$nothing":1}],"cursor":{}}`, 40234, 40324}),
	},
	{
		Name:   "mistakes in $group, $set and $unwind",
		Manual: "an unknown accumulator is code 15952, a dotted name in $group 40235, an empty name in $set 40352, an empty $set 40177, and a path that ends in a dot 40353; FerretDB returns NotImplemented (238) for the first, accepts the next three, and returns InternalError (1) for the last",
		Matches: matchCases(
			fixedCase{`{"aggregate":"c","pipeline":[{"$set":{}}],"cursor":{}}`, 0, 40177},
			fixedCase{`{"aggregate":"c","pipeline":[{"$group":{"_id":1,"n":{"$nothing":1}}}],"cursor":{}}`, 238, 15952},
			fixedCase{`{"aggregate":"c","pipeline":[{"$group":{"_id":1,"a.b":{"$sum":1}}}],"cursor":{}}`, 0, 40235},
			fixedCase{`{"aggregate":"c","pipeline":[{"$set":{"":1}}],"cursor":{}}`, 0, 40352},
			fixedCase{`{"aggregate":"c","pipeline":[{"$unwind":"$t."}],"cursor":{}}`, 1, 40353},
		),
	},
	{
		Name:   "malformed indexes",
		Manual: "an index without a key is FailedToParse (9); a key of 0, of an unknown kind or with an empty name is CannotCreateIndex (67); an unknown option is InvalidIndexSpecificationOption (197); FerretDB returns other codes",
		Matches: matchCases(
			fixedCase{`{"createIndexes":"c","indexes":[{"name":"x"}]}`, 14, 9}, fixedCase{`{"createIndexes":"c","indexes":[{"key":{"n":0},"name":"x"}]}`, 238, 67}, fixedCase{`{"createIndexes":"c","indexes":[{"key":{"n":"a"},"name":"x"}]}`, 27, 67},
			fixedCase{`{"createIndexes":"c","indexes":[{"key":{"":1},"name":"x"}]}`, 1, 67}, fixedCase{`{"createIndexes":"c","indexes":[{"key":{"":1},"name":"x"}]}`, 0, 67}, fixedCase{`{"createIndexes":"c","indexes":[{"key":{"n":1},"name":"x","nothing":1}]}`, 2, 197},
		),
	},
	{
		Name:    "dropping indexes by key",
		Manual:  "dropIndexes fails with IndexNotFound (27) if no index has the key; FerretDB sometimes drops the connection",
		Matches: matchCases(fixedCase{`{"dropIndexes":"c","index":{"n":1}}`, connectionDropped, 27}),
		Rare:    true,
	},
	{
		Name:    "commands on missing collections",
		Manual:  "dropIndexes and collMod on a collection that does not exist are NamespaceNotFound (26); FerretDB accepts the first and does not implement the second",
		Matches: matchCases(fixedCase{`{"dropIndexes":"missing","index":"*"}`, 0, 26}, fixedCase{`{"collMod":"missing"}`, 238, 26}),
	},
}
