package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"time"

	"github.com/specdrivers/onion/tools/mutate/source"
)

// weaveAll tries mutants of tables that only change functions of one package, such as those of decisions. All mutants of a package
// are woven into one build, like the mutants of functions, so a mutant costs no build of its own. Other mutants are tried one by one.
func (b *bench) weaveAll(ctx context.Context, cfg *config, order []*mutant, r *report, known map[identity]bool, out io.Writer) error {
	var shops []*woven // mutants of a package follow each other
	open := map[string]*woven{}
	start, before := time.Now(), len(r.Mutants)
	count, waiting := 0, 0
	for _, m := range order {
		if !cfg.all && len(r.Mutants)-before+waiting >= cfg.n || ctx.Err() != nil {
			break
		}
		if known[m.fate().identity()] {
			continue
		}
		f, files, code, err := b.change(m)
		if err != nil {
			return fmt.Errorf("%s: %w", m, err)
		}
		if f.Verdict != "" {
			r.add(f)
			continue
		}
		place, err := b.difference(files)
		if err != nil {
			return err
		}
		count++
		if place == nil {
			if err := b.ask(ctx, f, files, code, cfg.ask); err != nil {
				return fmt.Errorf("%s: %w", m, err)
			}
			r.add(f)
			continue
		}
		dir := path.Dir(place.File.Name)
		waiting++
		if open[dir] == nil || len(open[dir].fates) == mostWoven {
			open[dir] = newWoven(b, dir, cfg.ask)
			shops = append(shops, open[dir])
		}
		open[dir].add(count, place, f)
	}
	fmt.Fprintf(out, "%d of %d reach the tests, after %v\n", count, len(r.Mutants)-before+waiting, time.Since(start).Round(time.Second))
	for _, s := range shops {
		if err := s.try(ctx, cfg, r, known, out); err != nil && !errors.Is(err, context.Canceled) {
			return err
		}
	}
	return nil
}

// mostWoven is how many mutants share a build. Each of them makes its function ask whether it is on, and an exploration
// calls a function millions of times.
const mostWoven = 40

// difference returns the mutant that stands for the difference between the files that gen wrote and the module's.
func (b *bench) difference(files []string) (*source.Mutant, error) {
	was, is := map[string]string{}, map[string]string{}
	for _, name := range files {
		for root, texts := range map[string]map[string]string{b.root: was, b.scratch: is} {
			text, err := os.ReadFile(filepath.Join(root, name))
			if err != nil {
				return nil, err
			}
			texts[filepath.ToSlash(name)] = string(text)
		}
	}
	return source.Changed(was, is), nil
}

// woven holds the mutants of tables that change one package.
type woven struct {
	*workshop
	pkg   string // below the module
	fates map[int]*fate
}

func newWoven(b *bench, dir, ask string) *woven {
	w := &workshop{bench: b, mutants: map[int]*source.Mutant{}, binaries: map[string]*binary{}, ask: ask}
	return &woven{workshop: w, pkg: dir, fates: map[int]*fate{}}
}

func (s *woven) add(n int, m *source.Mutant, f *fate) {
	s.mutants[n], s.fates[n] = m, f
	for _, file := range m.Files() {
		if !slices.ContainsFunc(s.files, func(known *source.File) bool { return known.Name == file.Name }) {
			s.files = append(s.files, file)
		}
	}
}

// try builds the package with all mutants and judges them. A mutant that does not compile counts as killed by the compiler.
func (s *woven) try(ctx context.Context, cfg *config, r *report, known map[identity]bool, out io.Writer) error {
	for {
		broken, err := s.compile(ctx, s.pkg)
		if err != nil {
			return err
		}
		if len(broken) == 0 {
			return s.judgeAll(ctx, cfg, r, s.fates, known, out)
		}
		for _, n := range broken {
			s.fates[n].Verdict = uncompiled
			r.add(s.fates[n])
			delete(s.fates, n)
			delete(s.mutants, n)
		}
	}
}
