package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// wanted is the share of mutants that must be killed.
const wanted = 0.95

func main() {
	n := flag.Int("n", 150, "how many mutants to try")
	seed := flag.Uint64("seed", 1, "seed of the choice")
	pattern := flag.String("table", "", "only tables whose path contains this")
	all := flag.Bool("all", false, "try every mutant")
	flag.Parse()
	if *all {
		*n = -1
	}
	ok, err := run(*n, *seed, *pattern, os.Stdout)
	switch {
	case err != nil:
		fmt.Fprintln(os.Stderr, "mutate:", err)
		os.Exit(2)
	case !ok:
		os.Exit(1)
	}
}

// run tries n mutants, or all of them when n is negative, and reports whether enough were killed.
func run(n int, seed uint64, pattern string, out io.Writer) (bool, error) {
	b, err := newBench()
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(b.scratch)
	chosen, err := choose(n, seed, pattern)
	if err != nil {
		return false, err
	}
	if err := baseline(chosen); err != nil {
		return false, err
	}
	start := time.Now()
	counts := map[verdict]int{}
	for i, m := range chosen {
		v, err := b.try(m)
		if err != nil {
			return false, fmt.Errorf("%s: %w", m, err)
		}
		counts[v]++
		if v == survived {
			fmt.Fprintf(out, "survived: %s\n", m)
		}
		if (i+1)%25 == 0 {
			fmt.Fprintf(out, "%d of %d tried in %v\n", i+1, len(chosen), time.Since(start).Round(time.Second))
		}
	}
	ran := counts[killed] + counts[survived]
	share := 1.0
	if ran > 0 {
		share = float64(counts[killed]) / float64(ran)
	}
	fmt.Fprintf(out, "%d mutants: %d killed, %d survived, %d refused by gen, %d without effect; %.1f %% killed\n",
		len(chosen), counts[killed], counts[survived], counts[refused], counts[idle], 100*share)
	return share >= wanted, nil
}

// choose takes a seeded sample of the mutants of the tables.
func choose(n int, seed uint64, pattern string) ([]*mutant, error) {
	var all []*mutant
	for i := range targets {
		if !strings.Contains(targets[i].file, pattern) {
			continue
		}
		text, err := os.ReadFile(filepath.Join("specs", filepath.FromSlash(targets[i].file)))
		if err != nil {
			return nil, fmt.Errorf("read a table: %w", err)
		}
		all = append(all, mutants(&targets[i], string(text))...)
	}
	if n < 0 || n >= len(all) {
		return all, nil
	}
	r := rand.New(rand.NewPCG(seed, seed))
	r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all[:n], nil
}

// baseline makes sure that the tests pass on the tables as they are: else they would kill everything.
func baseline(chosen []*mutant) error {
	args := []string{"test", "-vet=off"}
	for _, m := range chosen {
		for _, p := range m.target.packages {
			if !slices.Contains(args, p) {
				args = append(args, p)
			}
		}
	}
	if out, err := exec.Command("go", args...).CombinedOutput(); err != nil && len(chosen) > 0 {
		return fmt.Errorf("the tests fail without any mutant: %w\n%s", err, out)
	}
	return nil
}

// verdict is what became of a mutant.
type verdict uint8

const (
	killed   verdict = iota // a test failed, or the code did not compile
	survived                // nothing noticed
	refused                 // gen found the table wrong
	idle                    // the generated code is the same
)

// bench is where mutants are tried: gen, built once, and a copy of the tables.
type bench struct {
	scratch, gen string
}

func newBench() (*bench, error) {
	if _, err := os.Stat("specs/README.md"); err != nil {
		return nil, errors.New("run me at the root of the module")
	}
	scratch, err := os.MkdirTemp("", "onion-mutate-")
	if err != nil {
		return nil, err
	}
	b := &bench{scratch: scratch, gen: filepath.Join(scratch, "gen")}
	if out, err := exec.Command("go", "build", "-o", b.gen, "./gen").CombinedOutput(); err != nil {
		return nil, fmt.Errorf("build gen: %w\n%s", err, out)
	}
	return b, os.CopyFS(filepath.Join(scratch, "specs"), os.DirFS("specs"))
}

// try writes the mutant's table, generates, and runs the tests over what differs.
func (b *bench) try(m *mutant) (verdict, error) {
	table := filepath.Join(b.scratch, "specs", filepath.FromSlash(m.target.file))
	original, err := os.ReadFile(table)
	if err != nil {
		return 0, err
	}
	if err := os.WriteFile(table, []byte(m.text), 0o644); err != nil {
		return 0, err
	}
	generate := exec.Command(b.gen, "-root", b.scratch, "-write", "-only", m.target.only)
	failed := generate.Run()
	if err := os.WriteFile(table, original, 0o644); err != nil {
		return 0, err
	}
	if failed != nil {
		return refused, nil
	}
	overlay, changed, err := b.overlay()
	if err != nil || !changed {
		return idle, err
	}
	args := append([]string{"test", "-vet=off", "-failfast", "-timeout", "90s", "-overlay", overlay}, m.target.packages...)
	if err := exec.Command("go", args...).Run(); err != nil {
		return killed, nil
	}
	return survived, nil
}

// overlay lets the files that gen wrote stand for those of the module, where they differ.
func (b *bench) overlay() (name string, changed bool, err error) {
	replace := map[string]string{}
	root, err := os.Getwd()
	if err != nil {
		return "", false, err
	}
	generated := filepath.Join(b.scratch, "generated")
	err = filepath.WalkDir(generated, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".go" {
			return err
		}
		rel, err := filepath.Rel(b.scratch, path)
		if err != nil {
			return err
		}
		ours := filepath.Join(root, rel)
		was, errWas := os.ReadFile(ours)
		is, errIs := os.ReadFile(path)
		if errWas == nil && errIs == nil && !bytes.Equal(was, is) {
			replace[ours] = path
		}
		return errIs
	})
	if err != nil {
		return "", false, err
	}
	data, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", false, err
	}
	name = filepath.Join(b.scratch, "overlay.json")
	return name, len(replace) > 0, os.WriteFile(name, data, 0o644)
}
