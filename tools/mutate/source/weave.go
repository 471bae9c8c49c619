package source

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Variables of the environment of a woven test binary.
const (
	On   = "ONION_MUTANT"      // the number of the mutant that is on
	Hits = "ONION_MUTANT_HITS" // a file for the numbers of the mutants whose place a test reaches
)

// edit puts a text at an offset.
type edit struct {
	at   int
	text string
}

// Weave returns the text of a file with mutants in it, by their numbers. Each mutant is a copy of its function's body, as a function
// literal that runs instead of the body.
func (f *File) Weave(mutants map[int]*Mutant) string {
	var edits []edit
	for _, n := range slices.Sorted(maps.Keys(mutants)) {
		for _, m := range slices.Concat([]*Mutant{mutants[n]}, mutants[n].Also) {
			if m.File.Name == f.Name {
				open := f.offset(m.function.Body.Lbrace) + 1
				edits = append(edits, edit{open, m.bodyCopy(n)}, edit{m.hit, fmt.Sprintf("onionHit(%d); ", n)})
			}
		}
	}
	slices.SortStableFunc(edits, func(a, b edit) int { return a.at - b.at })
	var out strings.Builder
	last := 0
	for _, e := range edits {
		out.WriteString(f.text[last:e.at])
		out.WriteString(e.text)
		last = e.at
	}
	return out.String() + f.text[last:]
}

// bodyCopy writes the statement at the beginning of the function that runs the changed body if the mutant is on.
func (m *Mutant) bodyCopy(n int) string {
	f, fn := m.File, m.function
	open, end := f.offset(fn.Body.Lbrace)+1, f.offset(fn.Body.Rbrace)
	body := f.text[open:m.start] + m.With + f.text[m.start+len(m.Was):end]
	if fn.Type.Results == nil {
		body = "func() {\n" + place(mutantFile(n), f.line(open)) + body + "\n}(); return"
	} else {
		body = "return func() " + f.textOf(fn.Type.Results) + " {\n" + place(mutantFile(n), f.line(open)) + body + "\n}()"
	}
	return fmt.Sprintf(" if onionMutant(%d) { %s }\n%s", n, body, place(f.Name[strings.LastIndexByte(f.Name, '/')+1:], f.line(open)))
}

// Text returns the text of the mutant's file with nothing but the mutant in it.
func (m *Mutant) Text() string {
	return m.File.text[:m.start] + m.With + m.File.text[m.start+len(m.Was):]
}

func place(file string, line int) string { return fmt.Sprintf("//line %s:%d\n", file, line) }

func mutantFile(n int) string { return fmt.Sprintf("onion-mutant-%d.go", n) }

var inMutant = regexp.MustCompile(`onion-mutant-(\d+)\.go:\d+`)

// Broken returns the numbers of the mutants that a compiler complains about.
func Broken(output string) []int {
	var numbers []int
	for _, m := range inMutant.FindAllStringSubmatch(output, -1) {
		if n, err := strconv.Atoi(m[1]); err == nil && !slices.Contains(numbers, n) {
			numbers = append(numbers, n)
		}
	}
	return numbers
}

// Support returns the file that woven files of a package call. count is more than every number of a mutant.
func Support(pkg string, count int) string {
	return fmt.Sprintf(`package %s

import (
	"os"
	"strconv"
	"sync/atomic"
)

var (
	onionOn   = os.Getenv(%q)
	onionNow, _ = strconv.Atoi(onionOn)
	onionHits = os.Getenv(%q)
	onionSeen [%d]atomic.Bool
)

func onionMutant(n int) bool { return onionOn != "" && onionNow == n }

func onionHit(n int) {
	if onionHits == "" || onionSeen[n].Swap(true) {
		return
	}
	f, err := os.OpenFile(onionHits, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		panic(err)
	}
	if _, err := f.WriteString(strconv.Itoa(n) + "\n"); err != nil {
		panic(err)
	}
	f.Close()
}
`, pkg, On, Hits, count)
}
