package main

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// passesOf are passes in which this revision and the null test take these multiples of the base's instructions.
func passesOf(now, null []float64) (list [][members]counts) {
	for i := range now {
		var p [members]counts
		for member, factor := range []float64{baseMember: 1, nowMember: now[i], nullMember: null[i]} {
			p[member] = counts{map[string]float64{"mongo/find.go": 1e4, "bson/raw.go": 1e4 * (2*factor - 1)}, 3, 100}
		}
		list = append(list, p)
	}
	return list
}

func TestComparisonOfRevisions(t *testing.T) {
	same := []float64{1, 1.001, 0.999}
	more, once := passesOf(same, same), passesOf(same, same)
	for i := range more {
		more[i][nowMember].allocations++
	}
	once[0][nowMember].allocations++
	tests := map[string]struct {
		passes  [][members]counts
		verdict string
		want    error
	}{
		"equal":                         {passesOf(same, same), "", nil},
		"one long pass":                 {passesOf([]float64{1, 1.2, 1}, same), "", nil},
		"fewer":                         {passesOf([]float64{0.9, 0.9, 0.9}, same), isFaster, nil},
		"a little more":                 {passesOf([]float64{1.03, 1.03, 1.03}, same), isSlower, nil},
		"much more":                     {passesOf([]float64{1.1, 1.1, 1.1}, same), isWorse, errSlower},
		"more, within the null":         {passesOf([]float64{1.05, 1.05, 1.05}, []float64{1, 1.038, 1}), "", nil},
		"a null test that says nothing": {passesOf([]float64{1.1, 1.1, 1.1}, []float64{1, 1.06, 1}), isVoid, errVoid},
		"more allocations":              {more, isWorse, errSlower},
		"allocates more once":           {once, "", nil},
	}
	for name, tt := range tests {
		v := &versus{of: counted{"findOne", 16, 25}, passes: tt.passes}
		var b strings.Builder
		if err := printComparison(&b, []*versus{v}); !errors.Is(err, tt.want) || v.verdict() != tt.verdict {
			t.Errorf("%s: %q, %v; want %q, %v\n%s", name, v.verdict(), err, tt.verdict, tt.want, &b)
		}
		if more := strings.Contains(b.String(), "+2000  bson/raw.go"); more != (name == "much more") {
			t.Errorf("%s: the files that take more:\n%s", name, &b)
		}
	}
}

// A void task does not hide the others: every one is printed with what it says about the base.
func TestAVoidComparisonPrintsTheBase(t *testing.T) {
	var b strings.Builder
	list := []*versus{
		{of: counted{"findOne", 1, 1}, passes: passesOf([]float64{1.5, 1.5}, []float64{0.5, 2})},
		{of: counted{"walk", 1, 1}, passes: passesOf([]float64{0.5, 0.5}, []float64{1, 1})},
	}
	err := printComparison(&b, list)
	if got := b.String(); !errors.Is(err, errVoid) || !strings.Contains(got, isVoid) || !strings.Contains(got, isFaster) {
		t.Errorf("%v\n%s", err, got)
	}
}

func TestTheComparisonHasTheTasksThatMatch(t *testing.T) {
	list := countedTasks(regexp.MustCompile("findOne|walk"))
	if len(list) != len(fewAndMany)+1 {
		t.Errorf("%d tasks", len(list))
	}
	if err := compareBase(io.Discard, settings{pattern: regexp.MustCompile("^nothing$")}); err == nil {
		t.Error("a comparison of nothing succeeds")
	}
}

// The cost of a call counts in the file of the called function. Functions that run by chance do not count at all.
func TestProfilesAreReadByFile(t *testing.T) {
	const profile = `version: 1
positions: line
events: Ir
summary: 1000

ob=(1) /tmp/counted
fl=(1) ./github.com/specdrivers/onion/runtime/mongo/find.go
fn=(1) mongo.(*Collection).FindOne
10 100
+3 20
cfi=(2) runtime/malloc.go
cfn=(2) runtime.mallocgc
calls=4 20
* 400
-2 5

fl=(2)
fn=(2)
20 400
fi=(3) runtime/proc.go
30 300
fe=(2)
21 1
fl=(4) ./internal/runtime/atomic/types.go
fn=(3) atomic.Load
1 7
totals: 1000
`
	got, err := readProfile(strings.NewReader(profile))
	if err != nil || len(got) != 2 || got["./github.com/specdrivers/onion/runtime/mongo/find.go"] != 125 || got["runtime/malloc.go"] != 401 {
		t.Errorf("%v, %v", got, err)
	}
	if _, err := readProfile(strings.NewReader("version: 1\n")); err == nil {
		t.Error("an empty profile is no error")
	}
}

func TestOnceIsALongRunLessAShortOne(t *testing.T) {
	few, many := counts{instructions: map[string]float64{"a": 100, "b": 50}}, counts{map[string]float64{"a": 500, "c": 40}, 3, 64}
	once := many.subtract(few, 10)
	if once.instructions["a"] != 40 || once.instructions["c"] != 4 || once.allocations != 3 || once.bytes != 64 {
		t.Errorf("%+v", once)
	}
}

// The base is built with today's program, and keeps no file of its own.
func TestTheBaseGetsThisProgram(t *testing.T) {
	tree, top := t.TempDir(), t.TempDir()
	write := func(dir, name string) {
		dir = filepath.Join(dir, countedFolder)
		if err := errors.Join(os.MkdirAll(dir, 0o777), os.WriteFile(filepath.Join(dir, name), []byte("package main"), 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	write(top, "main.go")
	write(tree, "old.go")
	if err := copyProgram(tree, top); err != nil {
		t.Fatal(err)
	}
	names, err := filepath.Glob(filepath.Join(tree, countedFolder, "*"))
	if err != nil || len(names) != 1 || filepath.Base(names[0]) != "main.go" {
		t.Errorf("%v, %v", names, err)
	}
}
