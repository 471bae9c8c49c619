package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"
)

func main() {
	var cfg config
	flag.StringVar(&cfg.root, "root", ".", "directory of the module")
	flag.IntVar(&cfg.n, "n", 150, "number of mutants to run")
	flag.BoolVar(&cfg.all, "all", os.Getenv("ALL") == "1", "run every mutant; also set by ALL=1 in the environment")
	flag.Uint64Var(&cfg.seed, "seed", 1, "seed of the sample")
	flag.StringVar(&cfg.table, "table", "", "only tables whose path contains one of these, separated by commas")
	flag.StringVar(&cfg.json, "json", "", "file for the results as JSON")
	flag.BoolVar(&cfg.list, "list", false, "print the mutants instead of running them")
	flag.DurationVar(&cfg.limit, "for", 15*time.Minute, "start no mutant after this time; ignored with -all")
	flag.BoolVar(&cfg.goOn, "continue", false, "resume with the results in the file of -json: run the mutants that it lacks")
	flag.BoolVar(&cfg.trust, "trust", false, "assume that the tests pass without a mutant, instead of running them first")
	flag.StringVar(&cfg.pkg, "pkg", "", "change functions of these packages instead of tables: paths below the module, with commas")
	flag.StringVar(&cfg.ask, "ask", "", "build mutants of tables together, and test only packages with one of these in their path")
	flag.BoolVar(&cfg.own, "own", false, "with -pkg: run only the package's own tests")
	flag.StringVar(&cfg.named, "named", "", "plant the mistakes of named.yaml whose names match this expression, instead of tables")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	try := run
	switch {
	case cfg.pkg != "":
		try = runCode
	case cfg.named != "":
		try = runNamed
	}
	ok, err := try(ctx, &cfg, os.Stdout)
	stop()
	switch {
	case err != nil:
		fmt.Fprintln(os.Stderr, "mutate:", err)
		os.Exit(2)
	case !ok:
		os.Exit(1)
	}
}

// run tries the mutants and reports whether enough of them were killed. When ctx ends it reports what it has.
func run(ctx context.Context, cfg *config, out io.Writer) (bool, error) {
	tables, err := readTables(cfg.root, cfg.table)
	if err != nil {
		return false, err
	}
	order := sample(tables, cfg.seed)
	if cfg.list {
		for _, m := range order {
			fmt.Fprintln(out, m)
		}
		return true, nil
	}
	b, err := newBench(cfg.root)
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(b.scratch)
	if err := b.checkBaseline(ctx, !cfg.trust); err != nil {
		return false, err
	}
	r, err := newReport(cfg)
	if err != nil {
		return false, err
	}
	if b.equivalents, err = readEquivalents(cfg.root); err != nil {
		return false, err
	}
	for _, f := range r.Mutants {
		b.kills.add(f)
	}
	known := r.killedBefore()
	before := len(r.Mutants)
	try := b.tryAll
	if cfg.ask != "" {
		try = b.weaveAll
	}
	if err := try(ctx, cfg, order, r, known, out); err != nil {
		return false, err
	}
	if n := len(r.Mutants) - before; !cfg.all && n < cfg.n {
		fmt.Fprintf(out, "%d mutants instead of %d: there are no more, or the time is over\n", n, cfg.n)
	}
	r.print(out)
	return r.isEnough(), r.write(cfg.json)
}

// tryAll tries mutants until enough are counted or the time is over.
func (b *bench) tryAll(ctx context.Context, cfg *config, order []*mutant, r *report, known map[identity]bool, out io.Writer) error {
	start, spent, before := time.Now(), r.Seconds, len(r.Mutants)
	for _, m := range order {
		if !cfg.all && (len(r.Mutants)-before >= cfg.n || time.Since(start) > cfg.limit) {
			return nil
		}
		if known[m.fate().identity()] {
			continue
		}
		f, err := b.try(ctx, m)
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s: %w", m, err)
		}
		r.Seconds = spent + int(time.Since(start).Seconds())
		if r.add(f); cfg.goOn {
			if err := r.write(cfg.json); err != nil {
				return err
			}
		}
		if f.Verdict == survived {
			fmt.Fprintf(out, "survived: %s\n", m)
		}
		if n := len(r.Mutants); f.Verdict != idle && n%25 == 0 {
			fmt.Fprintf(out, "%d tried in %v\n", n, time.Since(start).Round(time.Second))
		}
	}
	return nil
}
