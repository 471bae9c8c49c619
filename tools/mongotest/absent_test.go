package mongotest_test

import (
	"strings"
	"testing"

	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest"
)

// Features that mongotest lacks fail with the code that a server has for them. The message says that a real server supports
// them.
func TestAbsentFeaturesSayThatMongotestLacksThem(t *testing.T) {
	c := connectRaw(t, mongotest.Start(t), 0)
	runCases(t, c, []wireCase{
		{"mapReduce", "db", `{'mapReduce':'c','map':'','reduce':'','out':{'inline':1}}`, 59, "no such command: 'mapReduce' (mongotest does not have it)"},
		{"a text search", "db", `{'find':'c','filter':{'$text':{'$search':'coffee'}}}`, 27, "text index required for $text query (no such collection 'db.c')"},
		{"JavaScript", "db", `{'find':'c','filter':{'$where':'this.a'}}`, 2, "no globalScriptEngine in $where parsing (mongotest runs no JavaScript)"},
		{"an expression of a projection", "db", `{'find':'c','projection':{'a':{'$function':{}}}}`, 31325, "Unknown expression $function (mongotest does not have it)"},
		{"an expression of $project", "db", `{'aggregate':'c','cursor':{},'pipeline':[{'$project':{'a':{'$function':{}}}}]}`, 31325, "Invalid $project :: caused by :: Unknown expression $function (mongotest does not have it)"},
		{"an expression of $set", "db", `{'aggregate':'c','cursor':{},'pipeline':[{'$set':{'a':{'$function':{}}}}]}`, 168, "Invalid $set :: caused by :: Unrecognized expression '$function' (mongotest does not have it)"},
		{"a stage", "db", `{'aggregate':'c','cursor':{},'pipeline':[{'$rankFusion':{}}]}`, 40324, "Unrecognized pipeline stage name: '$rankFusion' (mongotest does not have it)"},
		{"an accumulator", "db", `{'aggregate':'c','cursor':{},'pipeline':[{'$group':{'_id':1,'a':{'$accumulator':{}}}}]}`, 15952, "unknown group operator '$accumulator' (mongotest does not have it)"},
	})
}

// The stages that search fail as on a server outside Atlas, whose error names Atlas. A deployment that keeps search
// indexes looks like a part of Atlas, so there the error names mongotest.
func TestSearchIsForAtlas(t *testing.T) {
	search := `{'aggregate':'c','cursor':{},'pipeline':[{'$search':{'text':{'query':'x','path':'a'}}}]}`
	c := connectRaw(t, mongotest.Start(t, mongotest.Version("8.0")), 0)
	runCases(t, c, []wireCase{
		{"$search", "db", search, errcode.SearchNotEnabled, "Please connect to Atlas"},
		{"$searchMeta", "db", `{'aggregate':'c','cursor':{},'pipeline':[{'$searchMeta':{}}]}`, errcode.SearchNotEnabled, "Atlas"},
		{"$vectorSearch", "db", `{'aggregate':'c','cursor':{},'pipeline':[{'$vectorSearch':{}}]}`, errcode.SearchNotEnabled, "Atlas"},
		{"no document", "db", `{'aggregate':'c','cursor':{},'pipeline':[{'$search':1}]}`, 9, "$search value must be an object. Found: int"},
		{"not the first stage", "db", `{'aggregate':'c','cursor':{},'pipeline':[{'$limit':1},{'$search':{}}]}`, 40602, "first stage"},
		{"in $lookup", "db", `{'aggregate':'c','cursor':{},'pipeline':[{'$lookup':{'from':'c','as':'x','pipeline':[{'$search':{}}]}}]}`, errcode.SearchNotEnabled, "Atlas"},
	})
	old := connectRaw(t, mongotest.Start(t, mongotest.Version("4.4")), 0)
	runCases(t, old, []wireCase{
		{"an old server", "db", search, errcode.SearchNotEnabled, "mongotHost"},
		{"one without vectors", "db", `{'aggregate':'c','cursor':{},'pipeline':[{'$vectorSearch':{}}]}`, 40324, "Unrecognized pipeline stage name"},
	})
	atlas := connectRaw(t, mongotest.Start(t, mongotest.SearchIndexes()), 0)
	runCases(t, atlas, []wireCase{{"with search indexes", "db", search, errcode.SearchNotEnabled, "mongotest keeps search indexes"}})
}

// The version has three parts wherever a server reports it.
func TestVersionIsShownWhole(t *testing.T) {
	c := connectRaw(t, mongotest.Start(t, mongotest.Version("7.0")), 0)
	runCases(t, c, []wireCase{
		{"buildInfo", "db", `{'buildInfo':1}`, 0, "version='7.0.0'"},
		{"serverStatus", "db", `{'serverStatus':1}`, 0, "version='7.0.0'"},
		{"explain", "db", `{'explain':{'find':'c'}}`, 0, "serverInfo version='7.0.0'"},
	})
}

func TestUnknownVersionSaysHowOneIsWritten(t *testing.T) {
	for _, version := range []string{"8.0.4", "latest", ""} {
		d, err := mongotest.New(mongotest.Version(version))
		if err == nil {
			d.Close()
			t.Errorf("%q is a version", version)
		} else if want := `two numbers name one, such as "8.0"`; !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", version, err, want)
		}
	}
}
