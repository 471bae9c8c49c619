package suite

import (
	"testing"
	"testing/fstest"
)

func TestGoNameSpellsOutSymbols(t *testing.T) {
	tests := map[string]string{
		"+1.0":                          "Plus1Dot0",
		"-1.0E+18":                      "Minus1Dot0EPlus18",
		"a-b 1-2":                       "AB12",
		"$oid isn't 10 digits":          "DollarOidIsnt10Digits",
		"ReplicaSetNoPrimary/read/Near": "ReplicaSetNoPrimaryReadNear",
		"é and 𝄞":                       "ÉAnd",
		"{\"a\": %20}":                  "APercent20",
		"":                              "",
	}
	for text, want := range tests {
		if got := goName(text); got != want {
			t.Errorf("goName(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestFileNameHasOneUnderscore(t *testing.T) {
	tests := map[string]string{
		"valid-unix_socket": "valid-unix-socket_test.go",
		"rs/New Primary+":   "rs-new-primary_test.go",
		"linux":             "linux_test.go",
	}
	for text, want := range tests {
		if got := fileName(text); got != want {
			t.Errorf("fileName(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestMakeUniqueNumbersRepeatedNames(t *testing.T) {
	names := map[string]bool{}
	for _, want := range []string{"TestA", "TestA_2", "TestA_3"} {
		if got := makeUnique(names, "p", "TestA"); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	for _, want := range []string{"a_test.go", "a-2_test.go"} {
		if got := makeUnique(names, "p", "a_test.go"); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	if got := makeUnique(names, "q", "TestA"); got != "TestA" {
		t.Errorf("another package: got %s", got)
	}
}

func TestFindSortsFilesIntoSuites(t *testing.T) {
	text := &fstest.MapFile{Data: []byte("{}")}
	fsys := fstest.MapFS{
		"source/crud/tests/unified/find.json":     text,
		"source/crud/tests/unified/find.yml":      text, // says the same as find.json
		"source/crud/tests/only.yaml":             text,
		"source/crud/schema.json":                 text, // not below tests
		"source/server-selection/tests/a/b/c.yml": text,
		".git/tests/config.json":                  text,
	}
	files, err := Find(fsys, func(suite string) bool { return suite != "other" })
	if err != nil {
		t.Fatal(err)
	}
	want := map[string][2]string{
		"source/crud/tests/unified/find.json":     {"crud", "unified/find"},
		"source/crud/tests/only.yaml":             {"crud", "only"},
		"source/server-selection/tests/a/b/c.yml": {"server-selection", "a/b/c"},
	}
	for _, f := range files {
		if w, ok := want[f.Path]; !ok || w != [2]string{f.Suite, f.Name()} {
			t.Errorf("%s: suite %s, name %s", f.Path, f.Suite, f.Name())
		}
		delete(want, f.Path)
	}
	for path := range want {
		t.Errorf("%s was not found", path)
	}
}

func TestFindReadsEveryFileWithoutTestsFolders(t *testing.T) {
	fsys := fstest.MapFS{"auth/deep/x.yml": {Data: []byte("a: 1")}, "y.json": {Data: []byte("{")}}
	files, err := Find(fsys, nil)
	if err != nil || len(files) != 2 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	if f := files[0]; f.Suite != "auth" || f.Name() != "deep/x" {
		t.Errorf("%+v", f)
	}
	if files[1].Err == nil {
		t.Error("a broken file has no error")
	}
}

func TestParseZone(t *testing.T) {
	zone := parseZone("text\n```dns\nRecord TTL Class Port Target\n_m._tcp.A.example.  86400  IN SRV  27017  h.example.\n" +
		"_m._tcp.b.example IN SRV 0 5 27018 h.example\nc.example. 60 IN TXT \"re\" \"st\"\nh.example. 60 IN A 127.0.0.1\n```\n")
	want := []record{
		{name: "_m._tcp.a.example", port: 27017, target: "h.example"},
		{name: "_m._tcp.b.example", port: 27018, target: "h.example"},
		{name: "c.example", text: "rest"},
	}
	if len(zone) != len(want) {
		t.Fatalf("got %v", zone)
	}
	for i := range want {
		if zone[i] != want[i] {
			t.Errorf("got %v, want %v", zone[i], want[i])
		}
	}
	for uri, n := range map[string]int{"mongodb+srv://u@A.example/?x": 1, "mongodb+srv://c.example": 1, "mongodb+srv://d.example": 0} {
		if got := recordsFor(zone, uri); len(got) != n {
			t.Errorf("%s: %v", uri, got)
		}
	}
}
