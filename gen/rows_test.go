package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"github.com/specdrivers/onion/gen/load"
)

// wantedTables are the tables that the design asks for, each with the lists that hold its rows: file, and path of the
// list.
var wantedTables = []struct {
	what  string
	lists []string
}{
	{"BSON types and subtypes", []string{"bson/types.yaml rows", "bson/types.yaml subtypes"}},
	{"opcodes, flags and sections", []string{"wire/protocol.yaml opcodes", "wire/protocol.yaml flags", "wire/protocol.yaml sections"}},
	{"compressors", []string{"wire/compression.yaml compressors", "wire/compression.yaml levels", "wire/compression.yaml uncompressible"}},
	{"wire versions and features", []string{"wire/versions.yaml rows", "wire/versions.yaml features"}},
	{"the handshake", []string{"wire/values.yaml rows"}},
	{"URI options, with conflicts and rules", []string{"options/uri.yaml rows", "options/uri.yaml rules", "options/uri.yaml warnings"}},
	{"client options", []string{"options/client.yaml rows"}},
	{"reply fields", []string{"options/replies.yaml rows"}},
	{"models and results", []string{"options/types/models.yaml types", "options/types/results.yaml types"}},
	{"index options", []string{"options/types/indexes.yaml types"}},
	{"GridFS", []string{"options/types/gridfs.yaml types", "gridfs/values.yaml rows"}},
	{"change stream options", []string{"options/types/changestream.yaml types"}},
	{"error codes, classes and labels", []string{"errors/codes.yaml rows", "errors/classes.yaml rows", "errors/labels.yaml rows"}},
	{"server and topology types", []string{"server/types.yaml servers", "server/types.yaml topologies", "server/types.yaml initial"}},
	{"hello to server type", []string{"server/hello.yaml facts", "server/hello.yaml rows"}},
	{"the topology's transitions", []string{"server/transitions.yaml actions", "server/transitions.yaml rows", "server/transitions.yaml own"}},
	{"descriptions with equality", []string{"server/description.yaml server", "server/description.yaml topology"}},
	{"error handling", []string{"server/errors.yaml causes", "server/errors.yaml phases", "server/errors.yaml effects", "server/errors.yaml rows"}},
	{"pool and connection states", []string{"pool/states.yaml machines", "pool/states.yaml machines.edges"}},
	{"transaction states", []string{"transactions/states.yaml machines", "transactions/states.yaml machines.edges"}},
	{"read preference rules", []string{"selection/rules.yaml modes", "selection/rules.yaml topologies", "selection/rules.yaml passing"}},
	{"selection constants", []string{"selection/values.yaml rows"}},
	{"mechanisms and properties", []string{"auth/mechanisms.yaml rows", "auth/properties.yaml rows"}},
	{"AWS regions", []string{"auth/regions.yaml rows"}},
	{"the FaaS handshake", []string{"auth/faas.yaml rows", "auth/faas.yaml rows.fields"}},
	{"events", []string{"events/events.yaml rows"}},
	{"log messages and keys", []string{"logs/messages.yaml rows", "logs/keys.yaml rows"}},
	{"trace attributes", []string{"trace/attributes.yaml rows"}},
	{"the stable API", []string{"stableapi/fields.yaml rows"}},
	{"benchmarks", []string{"benchmarks.yaml datasets", "benchmarks.yaml rows"}},
}

// undocumented are the lists whose rows need no sentence of their own, with the reason.
var undocumented = map[string]string{
	"options/uri.yaml values":                 "the phrase says it",
	"options/uri.yaml rules":                  "the message says it",
	"options/uri.yaml conflicts":              "the message says it",
	"pool/states.yaml machines.edges":         "the states and inputs are documented",
	"transactions/states.yaml machines.edges": "the states and inputs are documented",
	"selection/rules.yaml modes.steps":        "the mode is documented",
	"commands operations.fixed":               "the operation is documented",
	"commands statements":                     "the model of the write is documented",
	"commands statements.head":                "the model of the write is documented",
	"commands statements.fixed":               "the model of the write is documented",
	"encryption/folding.yaml case":            "a code point is its own description",
	"encryption/folding.yaml diacritics":      "a code point is its own description",
	"encryption/kms.yaml rows.settings":       "the field bears the name that the provider gives it",
	"wire/layouts.yaml rows.fields":           "the field bears the name that upstream gives it",
	"bson/layouts.yaml rows.fields":           "the field bears the name that upstream gives it",
	"encryption/kms.yaml rows.masterKey":      "the field bears the name that the provider gives it",
	"unified/rules.yaml rows":                 "the rule says it",
	"unified/operations.yaml rows":            "the specification of the operation documents it",
	"unified/failures.yaml rows":              "the text of the failure says it",
}

// TestEveryTableAndRowIsDocumented checks that every table of the design exists, with a section of the specifications
// and a sentence of our own for each row.
func TestEveryTableAndRowIsDocumented(t *testing.T) {
	w := rowWalk{t: t, rows: map[string]int{}, used: map[string]bool{}}
	err := filepath.WalkDir("../specs", func(name string, d os.DirEntry, err error) error {
		rel := strings.TrimPrefix(filepath.ToSlash(name), "../specs/")
		switch {
		case err != nil:
			return err
		case slices.Contains(load.NonTableFiles(), rel) && rel != "unified":
			if d.IsDir() {
				return filepath.SkipDir
			}
		case strings.HasPrefix(rel, "evidence"): // its rows need no doc, because they refer to upstream's sentences
		case !d.IsDir() && filepath.Ext(name) == ".yaml":
			w.walkFile(name, rel)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, table := range wantedTables {
		for _, list := range table.lists {
			if w.rows[list] == 0 {
				t.Errorf("%s: there are no rows in %s", table.what, list)
			}
		}
	}
	for list := range undocumented {
		if !w.used[list] {
			t.Errorf("the rows of %s have sentences; take the exception out", list)
		}
	}
	if n := w.commands; n < 25 {
		t.Errorf("%d commands have tables", n)
	}
}

type rowWalk struct {
	t        *testing.T
	rows     map[string]int  // by list
	used     map[string]bool // exceptions
	commands int
}

func (w *rowWalk) walkFile(name, rel string) {
	data, err := os.ReadFile(name)
	if err != nil {
		w.t.Fatal(err)
	}
	var doc yaml.Node
	if err := yaml.Unmarshal(data, &doc); err != nil || len(doc.Content) == 0 || doc.Content[0].Kind != yaml.MappingNode {
		w.t.Fatalf("%s is no table: %v", rel, err)
	}
	root := doc.Content[0]
	if text(root, "doc") == "" || text(root, "spec") == "" {
		w.t.Errorf("%s: the table has no doc or no spec", rel)
	}
	if strings.HasPrefix(rel, "commands/") {
		w.commands++
	}
	w.walkColumns(rel, "", root)
}

// walkColumns searches a row or a table for lists of rows.
func (w *rowWalk) walkColumns(file, list string, row *yaml.Node) {
	for i := 0; i+1 < len(row.Content); i += 2 {
		path, value := strings.TrimPrefix(list+"."+row.Content[i].Value, "."), row.Content[i+1]
		if value.Kind != yaml.SequenceNode {
			continue
		}
		for _, member := range value.Content {
			if member.Kind == yaml.MappingNode {
				w.checkRow(file, path, member)
			}
		}
	}
}

func (w *rowWalk) checkRow(file, list string, row *yaml.Node) {
	key := file + " " + list
	w.rows[key]++
	if strings.HasPrefix(file, "commands/") {
		key = "commands " + list
	}
	switch {
	case text(row, "doc") != "":
	case undocumented[key] != "":
		w.used[key] = true
	default:
		w.t.Errorf("specs/%s:%d: the row of %s has no doc", file, row.Line, list)
	}
	for i := 0; i+1 < len(row.Content); i += 2 {
		if row.Content[i].Value == "spec" && row.Content[i+1].Value == "" {
			w.t.Errorf("specs/%s:%d: the row of %s has an empty spec", file, row.Line, list)
		}
	}
	w.walkColumns(file, list, row)
}

// text returns a column of a row, or "" if the row does not have it.
func text(row *yaml.Node, column string) string {
	for i := 0; i+1 < len(row.Content); i += 2 {
		if row.Content[i].Value == column {
			return strings.TrimSpace(row.Content[i+1].Value)
		}
	}
	return ""
}
