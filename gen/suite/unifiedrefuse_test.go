package suite

import (
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/specdrivers/onion/gen/load"
)

// A file that breaks the unified format is a compile error that names the file. Unified Test Format, "Entity Map",
// "Executing an Operation".
func TestUnifiedRefuses(t *testing.T) {
	var o Options
	if err := o.Tables(load.NewTables(os.DirFS("../../specs"))); err != nil {
		t.Fatal(err)
	}
	o.Dir = "generated/refused"
	const entities = `[{client: {id: c}}, {database: {id: d, client: c, databaseName: n}}, {collection: {id: x, database: d, collectionName: n}}, {session: {id: s, client: c}}, {thread: {id: th}}, {bucket: {id: b, database: d}}]`
	ops := func(list string) string {
		return "{description: f, schemaVersion: '1.28', createEntities: " + entities + ", tests: [{description: t, operations: [" + list + "]}]}"
	}
	file := func(head string) string {
		return "{description: f, schemaVersion: '1.28', tests: [{description: t, operations: []}], " + head + "}"
	}
	for _, tt := range []struct{ name, text, want string }{
		{"a newer version", strings.Replace(ops(""), "1.28", "1.99", 1), "version 1.99 of the format is not supported"},
		{"another major version", strings.Replace(ops(""), "1.28", "2.0", 1), "version 2.0 of the format is not supported"},
		{"a name twice", file("createEntities: [{client: {id: c}}, {client: {id: c}}]"), `the entity "c" already exists`},
		{"an unknown client", file("createEntities: [{session: {id: s, client: c}}]"), `there is no entity "c"`},
		{"an entity of another kind", file("createEntities: [{client: {id: c}}, {session: {id: s, client: c}}, {database: {id: d, client: s, databaseName: n}}]"), `the entity "s" is a session, not a client`},
		{"an unknown kind of entity", file("createEntities: [{teapot: {id: c}}]"), "may not have this key"},
		{"an unknown option of a connection string", file("createEntities: [{client: {id: c, uriOptions: {strength: 3}}}]"), `a connection string has no option "strength"`},
		{"an unknown event to observe", file("createEntities: [{client: {id: c, observeEvents: [dawnEvent]}}]"), "dawnEvent"},
		{"an unknown key", file("colour: red"), "may not have this key"},
		{"an unknown entity", ops("{name: find, object: y, arguments: {filter: {}}}"), `there is no entity "y"`},
		{"an unknown operation", ops("{name: boil, object: x}"), `a collection has no operation "boil"`},
		{"an operation of another entity", ops("{name: find, object: d, arguments: {filter: {}}}"), `a database has no operation "find"`},
		{"an unknown operation of the runner", ops("{name: boil, object: testRunner}"), `the test runner has no operation "boil"`},
		{"an unknown argument", ops("{name: find, object: x, arguments: {filter: {}, colour: red}}"), `unknown argument "colour"`},
		{"a missing argument", ops("{name: insertOne, object: x}"), `the argument "document" is missing`},
		{"an index to drop by nothing", ops("{name: dropIndex, object: x}"), `the argument "name" is missing`},
		{"an argument by both of its names", ops("{name: dropIndex, object: x, arguments: {name: a_1, keys: {a: 1}}}"), `unknown argument "keys"`},
		{"an option of an index twice", ops("{name: createIndexes, object: x, arguments: {models: [{keys: {a: 1}, name: b, options: {name: c}}]}}"), `the option "name" appears twice`},
		{"an unknown option of an index", ops("{name: createIndexes, object: x, arguments: {models: [{keys: {a: 1}, options: {colour: red}}]}}"), `no option "colour"`},
		{"a time that is a number", ops("{name: createChangeStream, object: x, arguments: {startAtOperationTime: 5}}"), `"startAtOperationTime" is no $timestamp`},
		{"a fail point that is not a document", ops("{name: failPoint, object: testRunner, arguments: {client: c, failPoint: 5}}"), "is a number where an object is expected"},
		{"an unknown session", ops("{name: find, object: x, arguments: {filter: {}, session: y}}"), `there is no entity "y"`},
		{"a session of another kind", ops("{name: find, object: x, arguments: {filter: {}, session: c}}"), `the entity "c" is a client, not a session`},
		{"a session for an operation of a session", ops("{name: endSession, object: s, arguments: {session: s}}"), `unknown argument "session"`},
		{"a bound of an index that is not a number", ops("{name: createIndex, object: x, arguments: {keys: {a: 2d}, min: low}}"), `"min" is not a number`},
		{"a fraction where an integer is expected", ops("{name: find, object: x, arguments: {limit: 2.5}}"), `"limit" is not an integer`},
		{"an unknown value of an enum", ops("{name: findOneAndUpdate, object: x, arguments: {filter: {}, update: {}, returnDocument: soon}}"), "is no ReturnDocument"},
		{"a name for a result twice", ops("{name: findOne, object: x, arguments: {filter: {}}, saveResultAsEntity: s}"), `the entity "s" already exists`},
		{"an unknown operator", ops("{name: findOne, object: x, arguments: {filter: {}}, expectResult: {$$perhaps: 1}}"), "$$perhaps"},
		{"an unknown saved value", ops("{name: findOne, object: x, arguments: {filter: {}}, expectResult: {$$matchesEntity: y}}"), `there is no entity "y"`},
		{"a saved value of another kind", ops("{name: findOne, object: x, arguments: {filter: {}}, expectResult: {$$matchesEntity: c}}"), `the entity "c" is a client`},
		{"the session of an unknown entity", ops("{name: findOne, object: x, arguments: {filter: {}}, expectResult: {$$sessionLsid: y}}"), `there is no entity "y"`},
		{"a placeholder where nothing can take its place", ops("{name: findOne, object: x, arguments: {filter: {a: {$$placeholder: 1}}}}"), "placeholder"},
		{"malformed bytes", ops("{name: runCommand, object: d, arguments: {command: {a: 1}, commandName: a}, expectResult: {$$matchesHexBytes: 'abc'}}"), "are not bytes"},
		{"malformed bytes to upload", ops("{name: upload, object: b, arguments: {filename: a, source: {$$hexBytes: '0g'}}}"), "are not bytes"},
		{"bytes to upload that are a text", ops("{name: upload, object: b, arguments: {filename: a, source: '00'}}"), `"source" needs $$hexBytes`},
		{"a result and an error", ops("{name: find, object: x, arguments: {filter: {}}, expectResult: [], expectError: {isError: true}}"), "exclude each other"},
		{"an error that asks for nothing", ops("{name: find, object: x, arguments: {filter: {}}, expectError: {}}"), "at least 1"},
		{"no error at all", ops("{name: find, object: x, arguments: {filter: {}}, expectError: {isError: false}}"), "true"},
		{"an event of another type", "{description: f, schemaVersion: '1.28', createEntities: [{client: {id: c}}], tests: [{description: t, operations: [], expectEvents: [{client: c, eventType: cmap, events: [{commandStartedEvent: {}}]}]}]}", "may not have this key"},
		{"events stored under a name twice", file("createEntities: [{client: {id: c}}, {client: {id: c2, storeEventsAsEntities: [{id: c, events: [CommandStartedEvent]}]}}]"), `the entity "c" already exists`},
		{"an event of nothing", ops("{name: waitForEvent, object: testRunner, arguments: {client: c, count: 1, event: {}}}"), `f.yml:1: "event" needs an object with one event`},
		{"an event that is not an object", ops("{name: assertEventCount, object: testRunner, arguments: {client: c, count: 1, event: commandStartedEvent}}"), `needs an object with one event`},
		{"an event without an object", ops("{name: waitForEvent, object: testRunner, arguments: {client: c, count: 1, event: {commandStartedEvent: 1}}}"), `needs an object with one event`},
		{"two events", ops("{name: waitForEvent, object: testRunner, arguments: {client: c, count: 1, event: {commandStartedEvent: {}, commandFailedEvent: {}}}}"), `needs an object with one event`},
		{"an unknown argument of a loop", ops("{name: loop, object: testRunner, arguments: {operations: [], rounds: 3}}"), `unknown argument "rounds"`},
		{"a loop of an unknown operation", ops("{name: loop, object: testRunner, arguments: {operations: [{name: boil, object: x}]}}"), `a collection has no operation "boil"`},
		{"a loop that stores under a name twice", ops("{name: loop, object: testRunner, arguments: {operations: [], storeErrorsAsEntity: s}}"), `the entity "s" already exists`},
		{"a thread runs no special operation", ops("{name: runOnThread, object: testRunner, arguments: {thread: th, operation: {name: boil, object: x}}}"), `a collection has no operation "boil"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			files, err := Find(fstest.MapFS{"unified-test-format/tests/f.yml": {Data: []byte(tt.text)}}, nil)
			if err != nil {
				t.Fatal(err)
			}
			var said strings.Builder
			for _, p := range Compile(files, o).Problems() {
				said.WriteString(p.String() + "\n")
			}
			if !strings.Contains(said.String(), tt.want) {
				t.Errorf("the compiler says %q, want %q", said.String(), tt.want)
			}
		})
	}
}

// The document allows what the schema does not. Unified Test Format, "entity", "Version String".
func TestUnifiedAllowsMoreThanTheSchema(t *testing.T) {
	var o Options
	if err := o.Tables(load.NewTables(os.DirFS("../../specs"))); err != nil {
		t.Fatal(err)
	}
	const client = "{client: {id: c, observeEvents: [serverHeartbeatStartedEvent, serverHeartbeatSucceededEvent, serverHeartbeatFailedEvent]}}"
	for name, text := range map[string]string{
		"a version of one number": "{description: f, schemaVersion: '1', runOnRequirements: [{minServerVersion: '5', maxServerVersion: '9'}], tests: [{description: t, operations: []}]}",
		"heartbeats":              "{description: f, schemaVersion: '1.0', createEntities: [" + client + "], tests: [{description: t, operations: []}]}",
		"heartbeats in a step":    "{description: f, schemaVersion: '1.0', tests: [{description: t, operations: [{name: createEntities, object: testRunner, arguments: {entities: [" + client + "]}}]}]}",
	} {
		files, err := Find(fstest.MapFS{"crud/tests/f.yml": {Data: []byte(text)}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if r := Compile(files, o); len(r.Problems()) > 0 || len(r.Cases) != 1 {
			t.Errorf("%s: problems %v, %d cases", name, r.Problems(), len(r.Cases))
		}
	}
}

// The files of a suite share a package. Their names may differ only in symbols or in the case of letters.
func TestSimilarFileNamesGetDistinctIdentifiers(t *testing.T) {
	var o Options
	if err := o.Tables(load.NewTables(os.DirFS("../../specs"))); err != nil {
		t.Fatal(err)
	}
	const text = "{description: f, schemaVersion: '1.0', createEntities: [{client: {id: c}}], tests: [{description: t, operations: [{name: close, object: c}]}]}"
	files, err := Find(fstest.MapFS{
		"crud/tests/a-b.yml": {Data: []byte(text)}, "crud/tests/a_b.yml": {Data: []byte(text)}, "crud/tests/A-B.yml": {Data: []byte(text)},
		"crud/tests/7.yml": {Data: []byte(text)},
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, f := range Compile(files, o).Files {
		if err := f.Content.Render(&all); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"aB", "aB_2", "aB_3", "file7"} {
		for _, declaration := range []string{"func " + name + "SetUp(", "type " + name + "Entities struct"} {
			if n := strings.Count(all.String(), declaration); n != 1 {
				t.Errorf("%q is there %d times", declaration, n)
			}
		}
	}
}

// Unified Test Format, "test".
func TestSkipReasonSkips(t *testing.T) {
	var o Options
	if err := o.Tables(load.NewTables(os.DirFS("../../specs"))); err != nil {
		t.Fatal(err)
	}
	const text = "{description: f, schemaVersion: '1.0', tests: [{description: t, skipReason: no tools, operations: []}, {description: u, operations: []}]}"
	files, err := Find(fstest.MapFS{"crud/tests/f.yml": {Data: []byte(text)}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	r := Compile(files, o)
	if len(r.Problems()) > 0 || len(r.Cases) != 2 || r.Cases[0].Skip != "upstream skips the case: no tools" || r.Cases[0].Func != "" || r.Cases[1].Skip != "" {
		t.Errorf("problems %v, cases %+v", r.Problems(), r.Cases)
	}
}

// Unified Test Format, "runOnRequirement".
func TestImpossibleRequirementsSkip(t *testing.T) {
	var o Options
	if err := o.Tables(load.NewTables(os.DirFS("../../specs"))); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct{ requirements, skip string }{
		"serverless":                  {"[{serverless: require}]", "Serverless"},
		"serverless on a topology":    {"[{serverless: require, topologies: [load-balanced]}]", "Serverless"},
		"serverless or anything else": {"[{serverless: require}, {minServerVersion: '5.0'}]", ""},
		"no serverless":               {"[{serverless: forbid}]", ""},
		"no encryption":               {"[{csfle: false}]", "encryption"},
		"encryption":                  {"[{csfle: true}]", ""},
		"a version of encryption":     {"[{csfle: {minLibmongocryptVersion: '1.8.0'}}]", ""},
	} {
		for _, text := range []string{
			"{description: f, schemaVersion: '1.25', runOnRequirements: " + tt.requirements + ", tests: [{description: t, operations: []}]}",
			"{description: f, schemaVersion: '1.25', tests: [{description: t, runOnRequirements: " + tt.requirements + ", operations: []}]}",
		} {
			files, err := Find(fstest.MapFS{"crud/tests/f.yml": {Data: []byte(text)}}, nil)
			if err != nil {
				t.Fatal(err)
			}
			r := Compile(files, o)
			if len(r.Problems()) > 0 || len(r.Cases) != 1 || !strings.Contains(r.Cases[0].Skip, tt.skip) || (r.Cases[0].Skip == "") != (tt.skip == "") {
				t.Errorf("%s: problems %v, cases %+v", name, r.Problems(), r.Cases)
			}
		}
	}
}

// Cases in the folder valid-fail must fail, even without a row in the table of failures.
func TestValidFailMustFail(t *testing.T) {
	var o Options
	if err := o.Tables(load.NewTables(os.DirFS("../../specs"))); err != nil {
		t.Fatal(err)
	}
	const text = `{description: f, schemaVersion: '1.0', tests: [
		{description: t, operations: [{name: find, object: nothing}]},
		{description: u, operations: []}]}`
	files, err := Find(fstest.MapFS{
		"unified-test-format/tests/valid-fail/f.yml": {Data: []byte(text)},
		"crud/tests/valid-fail/f.yml":                {Data: []byte(text)},
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	r := Compile(files, o)
	for _, c := range r.Cases {
		of := c.File.Suite + " " + c.Name
		want := map[string][2]bool{ // whether the compiler judges it, whether it has problems
			"unified-test-format t": {true, false},
			"unified-test-format u": {false, false},
			"crud t":                {false, true},
			"crud u":                {false, false},
		}[of]
		if got := [2]bool{c.Judged, len(c.Problems) > 0}; got != want {
			t.Errorf("%s: judged and with problems is %v, want %v (%v)", of, got, want, c.Problems)
		}
	}
	for _, f := range r.Files {
		var text strings.Builder
		if err := f.Content.Render(&text); err != nil {
			t.Fatal(err)
		}
		if must := strings.Contains(f.Path, "test-format"); must != strings.Contains(text.String(), `.Fails(t, "", `) {
			t.Errorf("%s:\n%s", f.Path, text.String())
		}
	}
}
