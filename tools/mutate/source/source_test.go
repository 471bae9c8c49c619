package source

import (
	"fmt"
	"go/parser"
	"go/token"
	"maps"
	"slices"
	"strings"
	"testing"
)

func TestMutantsOfFunctions(t *testing.T) {
	for _, tt := range []struct {
		name, code string
		want       []string
	}{
		{"condition", "func f(a int) { if a < 1 {} }", []string{"negated: a < 1 -> !(a < 1)", "moved by one: < -> <=", "one more: 1 -> (1 + 1)"}},
		{"equality", "func f(a, b int) bool { return a == b }", []string{
			"zero result: return a == b -> return *new(bool)", "another operator: == -> !=",
		}},
		{"equality that is a condition", "func f(a, b int) { if a == b {} }", []string{"negated: a == b -> !(a == b)"}},
		{"loop", "func f() { for i := 0; g(i); i++ {} }", []string{
			"negated: g(i) -> !(g(i))", "one more: 0 -> (0 + 1)", "the other direction: ++ -> --",
		}},
		{"switch without a value", "func f(a bool) { switch { case a: } }", []string{"negated: a -> !(a)"}},
		{"switch with a value", "func f(a bool) { switch a { case g: } }", nil},
		{"call", "func f() { g(a, b) }", []string{"without the call: g(a, b) -> ", "arguments swapped: a, b -> b, a"}},
		{"calls with one argument and with a list", "func f() { _ = g(a); _ = g(b, c...) }", []string{
			"early return:  -> return; ", "without the assignment: _ = g(a) -> ", "without the assignment: _ = g(b, c...) -> ",
		}},
		{"arguments whose order means nothing, and a message", `func f() { a := max(b, c); d := protocolErrorf("e", g) }`, []string{"early return:  -> return; "}},
		{"what only the tag poison gives a body", "func f() { poison.Bytes(a); b.InUse(); rest(c, true) }", []string{"early return:  -> return; "}},
		{"a capacity, which nobody sees", "func f() { a := make([]int, 1, 32) }", []string{"arguments swapped: []int, 1 -> 1, []int", "arguments swapped: 1, 32 -> 32, 1", "one more: 1 -> (1 + 1)"}},
		{"a capacity that is computed", "func f() { a := make([]int, 0, b+32) }", []string{"arguments swapped: []int, 0 -> 0, []int", "arguments swapped: 0, b+32 -> b+32, 0", "one more: 0 -> (0 + 1)"}},
		{"two texts that are compared", "func f() { c := bytes.Equal(a, b) }", nil},
		{"a condition of the tag poison", "func f() { if !poison.On {} }", nil},
		{"deferred call", "func f() { defer g() }", []string{"without the call: defer g() -> "}},
		{"definition", "func f() { a := b }", nil},
		{"results", "func f() (a, b int, c error) { g(); return 1, 2, nil }", []string{
			"early return:  -> return *new(int), *new(int), *new(error); ", "without the call: g() -> ",
			"zero result: return 1, 2, nil -> return *new(int), *new(int), *new(error)",
			"one more: 1 -> (1 + 1)", "one more: 2 -> (2 + 1)",
		}},
		{"results of a literal", "func f() { g = func() bool { return a } }", []string{
			"without the assignment: g = func() bool { return a } -> ", "zero result: return a -> return *new(bool)",
		}},
		{"zero results", "func f() (*int, error) { return nil, nil }", nil},
		{"value beside an error", `func f() (string, error) { return "", err }`, []string{`zero result: return "", err -> return *new(string), *new(error)`}},
		{"value without an error", `func f() (string, error) { return "a", nil }`, []string{
			`zero result: return "a", nil -> return *new(string), *new(error)`, `another text: "a" -> ("a" + "X")`,
		}},
		{"texts", `func f() { a := "b"; _ = errors.New("c") }`, []string{
			"early return:  -> return; ", `another text: "b" -> ("b" + "X")`, `without the assignment: _ = errors.New("c") -> `,
		}},
		{"switches", "func f() bool { return true }", []string{
			"zero result: return true -> return *new(bool)", "another constant: true -> false",
		}},
		{"a function that recovers", "func f() { g(recover()) }", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f, err := parse("p/p.go", "package p\n\n"+tt.code+"\n")
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, m := range f.Mutants {
				got = append(got, m.What+": "+m.Was+" -> "+m.With)
				if m.Line() != 3 || m.Row() != "f: "+tt.code {
					t.Errorf("%s is at %d, %s", m.What, m.Line(), m.Row())
				}
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
		})
	}
}

// Every mutant of a file with all kinds of statements gives Go that parses, with the mark of its place where a statement may be.
func TestWovenFilesAreGo(t *testing.T) {
	const code = `package p

func (r *R[T]) f(c chan int) (n int, err error) {
	if a := g(1); a > 2 {
		n++
	} else if a < 0 || r.b {
		n = 3
	}
again:
	for i := range 3 {
		switch {
		case i == 1, r.b:
			continue again
		}
		select {
		case n = <-c:
			h(n, i)
		default:
		}
	}
	go func() { defer g(4); h(5, 6) }()
	return n, nil
}

func one() bool { return true }
`
	f, err := parse("p/p.go", code)
	if err != nil {
		t.Fatal(err)
	}
	numbers := map[int]*Mutant{}
	for i, m := range f.Mutants {
		numbers[i+1] = m
	}
	if len(numbers) < 20 {
		t.Errorf("only %d mutants", len(numbers))
	}
	woven := f.Weave(numbers)
	if _, err := parser.ParseFile(token.NewFileSet(), "woven.go", woven, parser.AllErrors); err != nil {
		t.Errorf("%v\n%s", err, woven)
	}
	for n := range numbers {
		if !strings.Contains(woven, fmt.Sprintf("onionHit(%d); ", n)) || !strings.Contains(woven, fmt.Sprintf("onionMutant(%d)", n)) {
			t.Errorf("mutant %d is not in the file", n)
		}
	}
	if got := f.Weave(nil); got != code {
		t.Errorf("without a mutant the file is\n%s", got)
	}
}

func TestBrokenNamesMutants(t *testing.T) {
	got := Broken("# m/p\np/onion-mutant-12.go:3:4: declared and not used: a\np/p.go:3: no\np/onion-mutant-7.go:9: b\np/onion-mutant-12.go:5:1: c\n")
	if !slices.Equal(got, []int{12, 7}) {
		t.Errorf("got %v", got)
	}
}

func TestSeedGivesTheOrder(t *testing.T) {
	f, err := parse("p/p.go", "package p\n\nfunc f() int { g(1, 2, 3, 4, 5); return 6 }\n")
	if err != nil {
		t.Fatal(err)
	}
	first, again, other := Sample([]*File{f}, 1), Sample([]*File{f}, 1), Sample([]*File{f}, 2)
	if !slices.Equal(first, again) || slices.Equal(first, other) {
		t.Errorf("seed 1 gives %v and %v, seed 2 %v", first, again, other)
	}
	all := map[*Mutant]bool{}
	for _, m := range other {
		all[m] = true
	}
	if len(slices.Collect(maps.Keys(all))) != len(f.Mutants) {
		t.Errorf("a sample of all has %d of %d", len(all), len(f.Mutants))
	}
}
