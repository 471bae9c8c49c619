package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The files of a small repository and of a small checkout.
var planted = map[string]string{
	"generated/core/wire/constants.go": "package wire\n\nconst (\n\tFieldClusterTime = \"$clusterTime\"\n\tPort = 27017\n\tBound = 0x10000\n\thidden = \"hidden\"\n\tShort = \"ok\"\n)\n",
	"generated/conformance/x/x.go":     "package x\n\nconst Suite = \"found in a suite only\"\n",
	"runtime/mongo/a.go": "package mongo\n\nimport _ \"found/import\"\n\nvar a = []any{\"$clusterTime\", `$clusterTime`, \"hidden\", \"ok\", 27_017, 65536, 7, \"escCollection\", 18250, \"once\"}\n\n" +
		"type t struct {\n\tF int `$clusterTime`\n}\n",
	"runtime/mongo/a_test.go": "package mongo\n\nvar tested = \"$clusterTime\"\n",
	"bson/b.go":               "package bson\n\nvar b = []any{\"escCollection\", 0x474A, \"tabled\", \"prose\"}\n",
	"bson/c.go":               "package bson\n\nvar c = []any{\"tabled\", \"prose\"}\n",
	"checkout/source/a/a.md":  "`prose` and \"prose\" and 99999\n\n| `tabled` | 18250 |\n\n```json\n{\n  escCollection: 1,\n  \"once\": 2\n}\n```\n",
}

// plant writes the repository with some exceptions.
func plant(t *testing.T, exceptions string) string {
	t.Helper()
	root := t.TempDir()
	files := map[string]string{exceptionsFile: exceptions}
	for name, text := range planted {
		files[name] = text
	}
	for name, text := range files {
		file := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func TestPlantedLiteralsAreFound(t *testing.T) {
	inTables := []string{
		`runtime/mongo/a.go:5: "$clusterTime" is wire.FieldClusterTime`,
		"runtime/mongo/a.go:5: `$clusterTime` is wire.FieldClusterTime",
		`runtime/mongo/a.go:5: 27_017 is wire.Port`,
		`runtime/mongo/a.go:5: 65536 is wire.Bound`,
	}
	upstreams := []string{
		`runtime/mongo/a.go:5: "escCollection" is in a/a.md, and in several files of ours`,
		`bson/b.go:3: "escCollection" is in a/a.md, and in several files of ours`,
		`runtime/mongo/a.go:5: 18250 is in a/a.md, and in several files of ours`,
		`bson/b.go:3: 0x474A is in a/a.md, and in several files of ours`,
		`bson/b.go:3: "tabled" is in a/a.md, and in several files of ours`,
		`bson/c.go:3: "tabled" is in a/a.md, and in several files of ours`,
	}
	for name, tt := range map[string]struct {
		exceptions string
		from       bool
		want       []string
	}{
		"constants":              {"rows: []", false, inTables},
		"constants and upstream": {"rows: []", true, slices.Concat(inTables, upstreams)},
		"exceptions": {"rows:\n" +
			"  - {literals: [$clusterTime], places: [runtime/mongo], because: x}\n" +
			"  - {literals: ['27017', '65536'], because: x}\n" +
			"  - {kind: upstream, literals: [tabled, '18250'], because: x}\n" +
			"  - {kind: upstream, literals: [escCollection], places: [bson/], because: x}\n", true,
			[]string{upstreams[0]}},
		"exceptions that nothing needs": {"rows:\n" +
			"  - {literals: [$clusterTime, hidden], because: x}\n" +
			"  - {literals: ['27017', '65536'], places: [runtime/, bson/], because: x}\n", false,
			[]string{
				`specs/literals.yaml: nothing needs the exception "hidden" any more`,
				`specs/literals.yaml: nothing needs the exception "bson/" any more`,
			}},
	} {
		t.Run(name, func(t *testing.T) {
			root := plant(t, tt.exceptions)
			from := ""
			if tt.from {
				from = filepath.Join(root, "checkout")
			}
			got, err := check(root, from)
			if err != nil {
				t.Fatal(err)
			}
			slices.Sort(got)
			want := slices.Sorted(slices.Values(tt.want))
			if !slices.Equal(got, want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
		})
	}
}

func TestExceptionsWantAReason(t *testing.T) {
	for name, text := range map[string]string{
		"no reason":       "rows:\n  - {literals: [a]}\n",
		"nothing":         "rows:\n  - {because: x}\n",
		"another kind":    "rows:\n  - {kind: y, literals: [a], because: x}\n",
		"another column":  "rows:\n  - {literal: a, because: x}\n",
		"no list of rows": "row: []\n",
	} {
		if _, err := check(plant(t, text), ""); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// TestOurs is the check that make check runs, as a test.
func TestOurs(t *testing.T) {
	problems, err := check("../..", "")
	if err != nil || len(problems) > 0 {
		t.Errorf("%v\n%s", err, strings.Join(problems, "\n"))
	}
}
