package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
	"text/tabwriter"
)

// verdict is the outcome of a mutant.
type verdict string

const (
	killed     verdict = "test"     // a test failed
	uncompiled verdict = "compiler" // a package that depends on it does not compile
	refused    verdict = "gen"      // gen found the table wrong
	survived   verdict = "survived"
	idle       verdict = "idle"       // the Go is the same
	unreached  verdict = "unreached"  // the packages' explorations reach no state in which it decides differently
	equivalent verdict = "equivalent" // it survived, and equivalents.yaml says why no program can tell
)

// fate is a mutant that was tried.
type fate struct {
	File    string  `json:"file"`
	Line    int     `json:"line"`
	Row     string  `json:"row"` // the text of the line
	Change  string  `json:"change"`
	Was     string  `json:"was"`
	Is      string  `json:"is"`
	Verdict verdict `json:"verdict"`
	By      string  `json:"by,omitempty"` // the package whose test failed, or what gen said; the reason of an equivalent
}

func (f *fate) String() string {
	return fmt.Sprintf("%s:%d: %s: %s -> %s", f.File, f.Line, f.Change, f.Was, f.Is)
}

// identity identifies a mutant within its table even after lines have moved.
type identity struct{ file, row, change, was, is string }

func (f *fate) identity() identity { return identity{f.File, f.Row, f.Change, f.Was, f.Is} }

// report is the result of a run.
type report struct {
	Seed    uint64  `json:"seed"`
	Seconds int     `json:"seconds"`
	Idle    []*fate `json:"idle"` // not counted: they changed no Go
	Mutants []*fate `json:"mutants"`
}

// newReport returns an empty report, or the one in the file of an earlier run.
func newReport(cfg *config) (*report, error) {
	r := &report{Seed: cfg.seed}
	if !cfg.goOn {
		return r, nil
	}
	data, err := os.ReadFile(cfg.json)
	if errors.Is(err, fs.ErrNotExist) {
		return r, nil
	}
	if err == nil {
		err = json.Unmarshal(data, r)
	}
	return r, err
}

// killedBefore returns the mutants that an earlier run has killed. A survivor is tried again: it may have got a test since.
func (r *report) killedBefore() map[identity]bool {
	known := map[identity]bool{}
	again := []verdict{survived, equivalent, unreached}
	r.Mutants = slices.DeleteFunc(r.Mutants, func(f *fate) bool { return slices.Contains(again, f.Verdict) })
	for _, f := range slices.Concat(r.Mutants, r.Idle) {
		known[f.identity()] = true
	}
	return known
}

func (r *report) add(f *fate) {
	if f.Verdict == idle {
		r.Idle = append(r.Idle, f)
		return
	}
	r.Mutants = append(r.Mutants, f)
}

// wanted is the percentage of the mutants reaching the tests that the tests must kill.
const wanted = 95

func (r *report) isEnough() bool { return share(r.count("")) >= wanted }

// count counts the verdicts of one table, or of all.
func (r *report) count(file string) map[verdict]int {
	counts := map[verdict]int{}
	for _, f := range r.Mutants {
		if file == "" || f.File == file {
			counts[f.Verdict]++
		}
	}
	return counts
}

// mostEquivalent is the percentage of mutants that may count as killed because equivalents.yaml lists them.
const mostEquivalent = 3

// share returns the percentage of the mutants reaching the tests that the tests killed or that make no difference.
func share(counts map[verdict]int) float64 {
	ran := counts[killed] + counts[survived] + counts[equivalent]
	if ran == 0 {
		return 100
	}
	spared := min(float64(counts[equivalent]), float64(ran)*mostEquivalent/100)
	return 100 * (float64(counts[killed]) + spared) / float64(ran)
}

// print writes a line for each table.
func (r *report) print(out io.Writer) {
	files := map[string]bool{}
	for _, f := range r.Mutants {
		files[f.File] = true
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "by gen\tby the compiler\tby tests\tunreached\tequivalent\tsurvived\tkilled by tests\t")
	row := func(name string, c map[verdict]int) {
		fmt.Fprintf(w, "%d\t%d\t%d\t%d\t%d\t%d\t%.1f %%\t  %s\n",
			c[refused], c[uncompiled], c[killed], c[unreached], c[equivalent], c[survived], share(c), name)
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		row(name, r.count(name))
	}
	all := r.count("")
	row("all", all)
	w.Flush()
	total := len(r.Mutants)
	fmt.Fprintf(out, "seed %d, %d s: %d mutants, %d killed, %d survived; %d more changed no Go and are not counted\n",
		r.Seed, r.Seconds, total, total-all[survived], all[survived], len(r.Idle))
}

// wantedOfCode and wantedOfOwn are the percentages that the repository's tests, and a package's own, must kill.
const (
	wantedOfCode = 92
	wantedOfOwn  = 75
)

// printCode writes a line for each file of the packages whose functions were changed, and reports whether enough was killed.
func (r *report) printCode(out io.Writer, home func(file string) string, cfg *config) bool {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "mutants\tby its tests\tby other tests\tequivalent\tsurvived\tkilled\t")
	own, all := map[string]int{}, map[string]bool{}
	for _, f := range r.Mutants {
		all[f.File] = true
		if f.Verdict == killed && f.By == home(f.File) {
			own[f.File]++
			own[""]++
		}
	}
	for _, name := range append(slices.Sorted(maps.Keys(all)), "") {
		c := r.count(name)
		fmt.Fprintf(w, "%d\t%d\t%d\t%d\t%d\t%.1f %%\t  %s\n", c[killed]+c[equivalent]+c[survived],
			own[name], c[killed]-own[name], c[equivalent], c[survived], share(c), cmp.Or(name, "all"))
	}
	w.Flush()
	fmt.Fprintf(out, "seed %d, %d s\n", r.Seed, r.Seconds)
	wanted := float64(wantedOfCode)
	if cfg.own {
		wanted = wantedOfOwn
	}
	return share(r.count("")) >= wanted
}

// write writes the report as JSON.
func (r *report) write(name string) error {
	if name == "" {
		return nil
	}
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(name, append(data, '\n'), 0o644)
}
