package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/specdrivers/onion/tools/mutate/planted"
	"github.com/specdrivers/onion/tools/mutate/source"
)

// workshop is where mutants of packages are tried.
type workshop struct {
	*bench
	files    []*source.File         // of all packages
	mutants  map[int]*source.Mutant // by their numbers
	overlay  string
	binaries map[string]*binary
	ask      string // of a woven table: parts of the paths of the packages to ask, whose tests are measured one by one
}

// home returns the package of a file.
func (w *workshop) home(file string) string { return w.packages.module + "/" + path.Dir(file) }

// runCode tries cfg.n mutants of the functions of each package, and reports whether enough of them were killed.
func runCode(ctx context.Context, cfg *config, out io.Writer) (bool, error) {
	rooms, err := readRooms(cfg)
	if err != nil {
		return false, err
	}
	if cfg.list {
		for _, r := range rooms {
			for _, m := range r.order {
				fmt.Fprintln(out, placeOf(m))
			}
		}
		return true, nil
	}
	b, err := newScratch(cfg.root)
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(b.scratch)
	if b.equivalents, err = readEquivalents(cfg.root); err != nil {
		return false, err
	}
	r, err := newReport(cfg)
	if err != nil {
		return false, err
	}
	for _, f := range r.Mutants {
		b.kills.add(f)
	}
	known := r.killedBefore()
	w := &workshop{bench: b, mutants: map[int]*source.Mutant{}, binaries: map[string]*binary{}}
	for _, r := range rooms {
		if err := w.choose(ctx, r, cfg.n); err != nil {
			return false, err
		}
	}
	maps.DeleteFunc(w.mutants, func(_ int, m *source.Mutant) bool { return known[fateOf(m).identity()] })
	if err := w.weave(); err != nil {
		return false, err
	}
	if err := w.tryMutants(ctx, cfg, r, known, out); err != nil && !errors.Is(err, context.Canceled) {
		return false, err
	}
	for _, name := range w.names() {
		b := w.binaries[name]
		if len(b.failing) > 0 {
			fmt.Fprintf(out, "%s: these fail without a mutant, and were not asked: %v\n", name, b.failing)
		}
		if len(b.inlined) > 0 {
			fmt.Fprintf(out, "%s: these fail where all mutants are woven, and were asked in builds of one: %v\n", name, b.inlined)
		}
	}
	return r.printCode(out, w.home, cfg), r.write(cfg.json)
}

// room is a package whose functions are changed.
type room struct {
	pkg   string // below the module
	files []*source.File
	order []*source.Mutant
}

func readRooms(cfg *config) ([]*room, error) {
	var rooms []*room
	for pkg := range strings.SplitSeq(cfg.pkg, ",") {
		files, err := source.Read(cfg.root, pkg)
		if err != nil {
			return nil, err
		}
		rooms = append(rooms, &room{pkg, files, source.Sample(files, cfg.seed)})
	}
	return rooms, nil
}

// names lists the packages whose tests were built.
func (w *workshop) names() []string {
	var names []string
	for name := range w.binaries {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func placeOf(m *source.Mutant) string { return fateOf(m).String() }

func fateOf(m *source.Mutant) *fate {
	return &fate{File: m.File.Name, Line: m.Line(), Row: m.Row(), Change: m.What, Was: shorten(m.Was), Is: shorten(m.With)}
}

// choose adds the first n mutants of a package that compile.
func (w *workshop) choose(ctx context.Context, r *room, n int) error {
	w.files = append(w.files, r.files...)
	first := len(w.mutants) // numbers count all mutants that were looked at, also those that do not compile
	for number := range w.mutants {
		first = max(first, number)
	}
	for next, have := 0, 0; ; {
		for ; next < len(r.order) && have < n; next++ {
			w.mutants[first+next+1], have = r.order[next], have+1
		}
		broken, err := w.compile(ctx, r.pkg)
		if err != nil || len(broken) == 0 {
			return err
		}
		for _, number := range broken {
			delete(w.mutants, number)
		}
		have -= len(broken)
	}
}

// compile weaves and builds a package. It returns the numbers of the mutants that do not compile.
func (w *workshop) compile(ctx context.Context, pkg string) ([]int, error) {
	if err := w.weave(); err != nil {
		return nil, err
	}
	text, err := w.goBuild(ctx, "build", "-gcflags="+w.packages.module+"/"+pkg+"=-e", "./"+pkg)
	broken := source.Broken(string(text))
	if err == nil || len(broken) > 0 {
		return broken, ctx.Err()
	}
	return nil, fmt.Errorf("build %s: %w\n%s", pkg, err, text)
}

func (w *workshop) goBuild(ctx context.Context, verb string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "go", append([]string{verb, "-overlay=" + w.overlay}, args...)...)
	cmd.Dir = w.root
	out, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return out, err
}

// weave writes the packages' files with the mutants in them, and an overlay with which they replace the originals.
func (w *workshop) weave() error {
	texts := map[string]string{}
	in := func(name string) string { return filepath.Join(w.root, filepath.FromSlash(name)) }
	most := 0
	for n := range w.mutants {
		most = max(most, n)
	}
	for _, f := range w.files {
		texts[in(f.Name)] = f.Weave(w.mutants)
		texts[in(path.Dir(f.Name)+"/onion_mutants.go")] = source.Support(f.Package, most+1)
	}
	var err error
	w.overlay, err = planted.Write(texts, w.scratch)
	return err
}

// binary returns the tests of a package, which it builds and measures first.
func (w *workshop) binary(ctx context.Context, name string) (*binary, error) {
	if b := w.binaries[name]; b != nil {
		return b, nil
	}
	dir := filepath.Join(w.root, filepath.FromSlash(name[len(w.packages.module):]))
	b := &binary{dir: dir, file: filepath.Join(w.scratch, strconv.Itoa(len(w.binaries))+".test")}
	b.took, b.reach, b.refused = map[string]time.Duration{}, map[int][]string{}, map[int][]string{}
	if text, err := w.goBuild(ctx, "test", "-c", "-vet=off", "-o", b.file, name); err != nil {
		return nil, fmt.Errorf("build the tests of %s: %w\n%s", name, err, text)
	}
	if _, err := os.Stat(b.file); err != nil {
		return nil, fmt.Errorf("%s has no tests", name)
	}
	w.binaries[name] = b
	if w.ask != "" || slices.ContainsFunc(w.files, func(f *source.File) bool { return w.home(f.Name) == name }) {
		if err := b.measure(ctx); err != nil || w.ask != "" {
			return b, err
		}
		return b, w.findInlined(ctx, name, b)
	}
	// A process for each of the tests of other packages would take longer than it saves.
	if err := b.measureTests(ctx, "."); err != nil {
		return nil, err
	}
	b.sort()
	return b, nil
}

// judgeCode asks the package's own tests and then, unless told otherwise, the others that depend on it.
func (w *workshop) judgeCode(ctx context.Context, n int, f *fate, own bool) error {
	size := func(name string) int { return len(w.packages.tests[name]) }
	because := w.equivalents[f.identity()]
	file := w.mutants[n].File.Name // of a table's mutant, the one that gen wrote
	var names []string
	for _, name := range w.bench.kills.order(w.packages.affectedBy([]string{file}), f.File, size) {
		if w.ask != "" {
			if matches(name, w.ask) {
				names = append(names, name)
			}
		} else if name == w.home(file) {
			names = slices.Insert(names, 0, name)
		} else if !own && because == "" {
			names = append(names, name)
		}
	}
	f.Verdict, f.By = survived, ""
	if because != "" {
		f.Verdict, f.By = equivalent, because
	}
	for _, name := range names {
		b, err := w.binary(ctx, name)
		if err != nil {
			return err
		}
		kills, err := b.kills(ctx, n)
		if err == nil && !kills {
			kills, err = w.killsUnwoven(ctx, w.mutants[n], name, b.inlinedFor(n))
		}
		if err != nil {
			return err
		}
		if kills {
			f.Verdict, f.By = killed, name
			w.bench.kills.add(f)
			return nil
		}
		if w.ask != "" && f.Verdict == survived {
			if same, err := b.explores(ctx, n); err != nil {
				return err
			} else if same {
				f.Verdict, f.By = unreached, name
			}
		}
	}
	return nil
}

func (w *workshop) tryMutants(ctx context.Context, cfg *config, r *report, known map[identity]bool, out io.Writer) error {
	fates := map[int]*fate{}
	for n, m := range w.mutants {
		fates[n] = fateOf(m)
	}
	return w.judgeAll(ctx, cfg, r, fates, known, out)
}

// judgeAll judges the mutants of these fates, in the order of their numbers, but for those that are known.
func (w *workshop) judgeAll(
	ctx context.Context, cfg *config, r *report, fates map[int]*fate, known map[identity]bool, out io.Writer,
) error {
	start, spent := time.Now(), r.Seconds
	for _, n := range slices.Sorted(maps.Keys(fates)) {
		f := fates[n]
		if known[f.identity()] {
			continue
		}
		if time.Since(start) > cfg.limit && !cfg.all {
			fmt.Fprintln(out, "the time is over")
			return nil
		}
		if err := w.judgeCode(ctx, n, f, cfg.own); err != nil {
			return err
		}
		r.Seconds = spent + int(time.Since(start).Seconds())
		r.add(f)
		if cfg.goOn {
			if err := r.write(cfg.json); err != nil {
				return err
			}
		}
		if f.Verdict == survived {
			fmt.Fprintf(out, "survived: %s\n", f)
		}
	}
	return nil
}
