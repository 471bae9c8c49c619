package unified

import (
	"os"
	"strings"
	"testing"

	"github.com/specdrivers/onion/gen/suite/source"
)

// whole uses most of the format. Each rejected case below differs from an accepted file in one place.
const whole = `
description: a whole file
schemaVersion: "1.28"
runOnRequirements:
  - {minServerVersion: "4.4", topologies: [single, load-balanced], serverParameters: {x: 1}, csfle: {minLibmongocryptVersion: "1.8.0"}}
createEntities:
  - client:
      id: c
      observeEvents: [commandStartedEvent]
      observeLogMessages: {command: debug}
      serverApi: {version: "1"}
      autoEncryptOpts: {keyVaultNamespace: a.b, kmsProviders: {"aws:x": {accessKeyId: {$$placeholder: 1}}, gcp: {accessToken: t}}}
  - database: {id: d, client: c, databaseName: n, databaseOptions: {timeoutMS: 5}}
initialData:
  - {databaseName: n, collectionName: m, createOptions: {capped: true}, documents: []}
tests:
  - description: one
    operations:
      - {name: find, object: d, arguments: {}, expectError: {isError: true, errorCode: 1.0}}
    expectEvents:
      - {client: c, events: [{commandStartedEvent: {command: {}}}]}
      - {client: c, eventType: cmap, events: [{poolClearedEvent: {interruptInUseConnections: true}}]}
      - {client: c, eventType: sdam, events: [{serverHeartbeatStartedEvent: {awaited: true}}]}
    expectLogMessages:
      - {client: c, messages: [{level: debug, component: topology, data: {}}]}
    expectTracingMessages:
      - {client: c, spans: [{name: find, attributes: {}, nested: [{name: x, attributes: {}}]}]}
`

func load(t *testing.T) *Format {
	t.Helper()
	f, err := LoadFormat(os.DirFS("../../../specs"))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func parse(t *testing.T, text string) *source.Node {
	t.Helper()
	n, err := source.ParseYAML([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestValidateAcceptsAWholeFile(t *testing.T) {
	for _, v := range load(t).Validate(parse(t, whole)) {
		t.Errorf("line %d: %s", v.Line, v)
	}
}

func TestValidateRejects(t *testing.T) {
	tests := map[string]struct{ old, new, want string }{
		"unknown key":         {"databaseName: n, databaseOptions", "dbName: n, databaseName: n, databaseOptions", "createEntities[1].database.dbName: the database may not have this key"},
		"missing key":         {"description: one", "skipReason: x", "tests[0]: the test has no description"},
		"wrong type":          {"timeoutMS: 5", "timeoutMS: 5.5", "createEntities[1].database.databaseOptions.timeoutMS: is a number where an integer is expected"},
		"pattern":             {`"1.28"`, `"1.2.3.4"`, `schemaVersion: "1.2.3.4" does not match ^[0-9]+(\.[0-9]+){1,2}$`},
		"enum":                {"load-balanced", "ring", `runOnRequirements[0].topologies[1]: "ring" is not one of single, replicaset, sharded, sharded-replicaset, load-balanced`},
		"empty list":          {"[commandStartedEvent]", "[]", "createEntities[0].client.observeEvents: is empty"},
		"empty object":        {"{x: 1}", "{}", "runOnRequirements[0].serverParameters: the nonEmptyObject has 0 keys where at least 1 are expected"},
		"two entities in one": {"- database:", "- session: {id: s, client: c}\n    database:", "createEntities[1]: the entity has 2 keys where at most 1 are allowed"},
		"apart":               {"arguments: {}, expectError", "saveResultAsEntity: e, expectError", "tests[0].operations[0]: the operation has expectError and saveResultAsEntity, which exclude each other"},
		"constant":            {"isError: true", "isError: false", "tests[0].operations[0].expectError.isError: is a boolean where true is expected"},
		"chosen type":         {"eventType: cmap", "eventType: sdam", "tests[0].expectEvents[1].events[0].poolClearedEvent: the expectedSdamEvent may not have this key"},
		"default choice":      {"eventType: cmap, ", "", "tests[0].expectEvents[1].events[0].poolClearedEvent: the expectedCommandEvent may not have this key"},
		"pattern of keys":     {`"aws:x"`, `"aws:*"`, "createEntities[0].client.autoEncryptOpts.kmsProviders.aws:*: the kmsProviders may not have this key"},
		"neither":             {"{accessToken: t}", "{token: t}", "createEntities[0].client.autoEncryptOpts.kmsProviders.gcp: is not gcpProvider or tokenProvider"},
		"both":                {"{accessToken: t}", "{}", ""},
		"forbidden":           {"capped: true", "writeConcern: {}", "initialData[0].createOptions.writeConcern: is an object where nothing is expected"},
		"map of objects":      {"keyVaultNamespace: a.b", "keyVaultNamespace: a.b, schemaMap: {x: 1}", "createEntities[0].client.autoEncryptOpts.schemaMap.x: is a number where an object is expected"},
		"nested span":         {"nested: [{name: x, attributes: {}}]", "nested: [{name: x}]", "tests[0].expectTracingMessages[0].spans[0].nested[0]: the span has no attributes"},
	}
	f := load(t)
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			text := strings.Replace(whole, tt.old, tt.new, 1)
			if text == whole {
				t.Fatalf("%q is not in the file", tt.old)
			}
			var got []string
			for _, v := range f.Validate(parse(t, text)) {
				got = append(got, v.String())
			}
			if all := strings.Join(got, "\n"); !strings.HasPrefix(all, tt.want) || (tt.want == "") != (all == "") {
				t.Errorf("got  %s\nwant %s", all, tt.want)
			}
		})
	}
}

func TestLoadFormatRejectsUnknownTypes(t *testing.T) {
	dir := t.TempDir()
	write := func(text string) error {
		if err := os.MkdirAll(dir+"/unified", 0o755); err != nil {
			return err
		}
		return os.WriteFile(dir+"/"+TablePath, []byte(text), 0o644)
	}
	tests := map[string]struct{ text, want string }{
		"unknown type":  {"objects: {file: {fields: {a: strin}}}", `unified: specs/unified/format.yaml: file.a: no type is called "strin"`},
		"unused object": {"objects: {file: {}, lonely: {}}", "unified: specs/unified/format.yaml: nothing refers to the object lonely"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if err := write(tt.text); err != nil {
				t.Fatal(err)
			}
			if _, err := LoadFormat(os.DirFS(dir)); err == nil || err.Error() != tt.want {
				t.Errorf("got  %v\nwant %s", err, tt.want)
			}
		})
	}
}
