package model

import (
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/specdrivers/onion/gen/load"
)

// changedTable is the folder of the tables with one of them changed.
type changedTable struct {
	fs.FS
	name string
	data []byte
}

func (s changedTable) Open(name string) (fs.File, error) {
	if name == s.name {
		return fstest.MapFS{name: {Data: s.data}}.Open(name)
	}
	return s.FS.Open(name)
}

// changeTable replaces the first occurrence of from in a table, and returns the line where it ended.
func changeTable(t *testing.T, name, from, to string) (*load.Tables, int) {
	t.Helper()
	specs := os.DirFS("../../specs")
	data, err := fs.ReadFile(specs, name)
	if err != nil {
		t.Fatal(err)
	}
	before, after, found := strings.Cut(string(data), from)
	if !found {
		t.Fatalf("%s has no %q", name, from)
	}
	return load.NewTables(changedTable{specs, name, []byte(before + to + after)}), strings.Count(before, "\n") + strings.Count(from, "\n") + 1
}

// mistakesOfTables are those that somebody who copies from a specification is most likely to make.
var mistakesOfTables = []mistake{
	{"a negative code", "errors/codes.yaml", "{code: 6,", "{code: -6,", errors, "HostUnreachable: no reply carries the code -6"},
	{"a class within itself", "errors/classes.yaml", "within: [Recovering]", "within: [Shutdown]", errors, "Shutdown lies within itself"},
	{"a union with itself", "errors/classes.yaml", "union: [Recovering, ", "union: [StateChange, ", errors, "StateChange lies within itself"},
	{"a negative duration", "auth/values.yaml", "duration: \"10s\"", "duration: \"-10s\"",
		discardResult(NewValues("auth/values.yaml")), "AWSEndpointTimeout: the duration -10s is negative"},
	{"a negative default", "options/client.yaml", "default: '10s'", "default: '-10s'", client, "ConnectTimeout: the duration -10s is negative"},
	{"a minimum over the maximum", "options/uri.yaml", "min: -1, max: 9", "min: 10, max: 9", uri, "integer between -1 and 9 (inclusive): min 10 is over max 9"},
	{"a package outside of generated", "packages.yaml", "path: bsontype", "path: ../auth",
		discardResult(NewPackages), `"../auth" is not the path of a package below generated`},
	{"a package with a name that Go keeps", "packages.yaml", "path: bsontype", "path: core/func",
		discardResult(NewPackages), `"core/func" is not the path of a package below generated`},
	{"an override without a reason", "errors/codes.yaml", "override: {classes: \"", "override: {classes: \" \", code: \"", errors, "override: classes needs a reason"},
	{"a parameter named like a type", "server/messages.yaml", "{stale: string, max: string}", "{string: string, max: string}",
		discardResult(NewMessages("server/messages.yaml", "core/sdamtable")), "StalePrimary: string cannot be the name of a parameter"},
	{"a parameter named like a keyword", "server/messages.yaml", "{stale: string, max: string}", "{func: string, max: string}",
		discardResult(NewMessages("server/messages.yaml", "core/sdamtable")), "StalePrimary: func cannot be the name of a parameter"},
	{"an operator without a row", "encryption/operators.yaml", "value: $cond", "value: $condition", discardResult(NewAnalysisOperators),
		"OpCond: no table of the analysis has a row for $condition"},
	{"a negative limit", "wire/protocol.yaml", "value: 48000000", "value: -1", wire, "DefaultMaxMessageSizeBytes: the limit -1 is negative"},
}

// Each mistake is reported, with its file and line.
func TestMistakesAreRefused(t *testing.T) {
	for _, c := range slices.Concat(mistakesOfTables, mistakesOfRooms, mistakesOfNames) {
		t.Run(c.name, func(t *testing.T) {
			tables, line := changeTable(t, c.table, c.from, c.to)
			c.build(tables)
			want, elsewhere := strings.CutPrefix(c.want, "elsewhere: ")
			for _, p := range tables.Problems() {
				if strings.Contains(p.Text, want) {
					if p.Pos.File != "specs/"+c.table || !elsewhere && (p.Pos.Line < line-5 || p.Pos.Line > line) {
						t.Errorf("%s is reported, and the mistake is in line %d", p, line)
					}
					return
				}
			}
			t.Errorf("the problems are %v, want %q", tables.Problems(), want)
		})
	}
}
