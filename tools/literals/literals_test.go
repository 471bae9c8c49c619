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
	"generated/core/wire/values.go": "package wire\n\nimport \"time\"\n\nconst (\n\tWait = 5 * time.Second\n\tMinute = 1 * time.Minute\n\tJitter = 0.2\n\tService = \"28017\"\n)\n\n" +
		"func TooOld(version string) string {\n\treturn \"the server is too old: it has the version \" +\n\t\tversion\n}\n",
	"generated/conformance/x/x.go": "package x\n\nconst Suite = \"found in a suite only\"\n",
	"runtime/mongo/a.go": "package mongo\n\nimport _ \"found/import\"\n\nvar a = []any{\"$clusterTime\", `$clusterTime`, \"hidden\", \"ok\", 27_017, 65536, 7, \"escCollection\", 18250, \"once\"}\n\n" +
		"type t struct {\n\tF int `$clusterTime`\n}\n",
	"runtime/mongo/t.go": "package mongo\n\nimport (\n\t\"errors\"\n\t\"time\"\n)\n\n" +
		"var t = []any{5 * time.Second, time.Second * 5, time.Minute, 7 * time.Second, 0.2, 28_017, \"27017\"}\n\n" +
		"func minutes(d time.Duration) int64 { return int64(d.Round(time.Minute)/time.Minute) + int64(d)/int64(time.Minute) }\n",
	"bson/e.go": "package bson\n\nimport \"errors\"\n\nvar e = []error{\n\terrors.New(\"bson: The server is too old: \" +\n\t\t\"it has the version 3\"),\n" +
		"\terrors.New(\"bson: no cursor can do that at all\"),\n\terrors.New(\"a suite expects these words: x\"),\n\terrors.New(\"words of our own\"),\n}\n",
	"checkout/source/a/tests/s.yml": "tests:\n  - errorContains: \"a suite expects these words\"\n",
	"runtime/mongo/a_test.go":       "package mongo\n\nvar tested = \"$clusterTime\"\n",
	"bson/b.go":                     "package bson\n\nvar b = []any{\"escCollection\", 0x474A, \"tabled\", \"prose\"}\n",
	"bson/c.go":                     "package bson\n\nvar c = []any{\"tabled\", \"prose\"}\n",
	"checkout/source/a/a.md":        "An error MUST say \"No cursor\ncan do that\".\n\n`prose` and \"prose\" and 99999\n\n| `tabled` | 18250 |\n\n```json\n{\n  escCollection: 1,\n  \"once\": 2\n}\n```\n",
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
		`runtime/mongo/t.go:8: 5 * time.Second is wire.Wait`,
		`runtime/mongo/t.go:8: time.Second * 5 is wire.Wait`,
		`runtime/mongo/t.go:8: time.Minute is wire.Minute`,
		`runtime/mongo/t.go:8: 0.2 is wire.Jitter`,
		`runtime/mongo/t.go:8: 28_017 is wire.Service`,
		`runtime/mongo/t.go:8: "27017" is wire.Port`,
		`bson/e.go:6: "the server is too old: it has the version" is in wire.TooOld`,
	}
	upstreams := []string{
		`runtime/mongo/a.go:5: "escCollection" is in a/a.md, and in several files of ours`,
		`bson/b.go:3: "escCollection" is in a/a.md, and in several files of ours`,
		`runtime/mongo/a.go:5: 18250 is in a/a.md, and in several files of ours`,
		`bson/b.go:3: 0x474A is in a/a.md, and in several files of ours`,
		`bson/b.go:3: "tabled" is in a/a.md, and in several files of ours`,
		`bson/c.go:3: "tabled" is in a/a.md, and in several files of ours`,
		`bson/e.go:8: "no cursor can do that" is in a/a.md`,
		`bson/e.go:9: "a suite expects these words" is in a/tests/s.yml`,
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
			"  - {literals: ['27017', '65536', '28017', '0.2', 5s, 1m0s, 'the server is too old: it has the version'], because: x}\n" +
			"  - {kind: upstream, literals: [tabled, '18250', no cursor can do that, a suite expects these words], because: x}\n" +
			"  - {kind: upstream, literals: [escCollection], places: [bson/], because: x}\n", true,
			[]string{upstreams[0]}},
		"exceptions that nothing needs": {"rows:\n" +
			"  - {literals: [$clusterTime, hidden], because: x}\n" +
			"  - {literals: ['27017', '65536', '28017', '0.2', 5s, 1m0s], places: [runtime/, tools/], because: x}\n" +
			"  - {literals: ['the server is too old: it has the version'], because: x}\n", false,
			[]string{
				`specs/literals.yaml: nothing needs the exception "hidden" any more`,
				`specs/literals.yaml: nothing needs the exception "tools/" any more`,
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
