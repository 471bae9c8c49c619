package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/specdrivers/onion/gen/load"
	"github.com/specdrivers/onion/gen/suite"
)

// config is the command line.
type config struct {
	specs   string
	suites  []string
	run     *regexp.Regexp
	json    string
	html    string
	pending bool
	rewrite bool // write the list of what is pending
	server  string
	single  string // load balancers of the server
	several string
	readme  string
	compile bool   // run nothing
	repeat  bool   // run everything three times
	rows    bool   // look for rows of tables that our own cases do not touch, instead
	root    string // of the module
}

func main() {
	cfg, err := parse(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "conformance:", err)
		os.Exit(2)
	}
	var ok bool
	if cfg.rows {
		ok, err = runCoverage(cfg.root, os.Stdout)
	} else {
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
		ok, err = run(ctx, cfg, os.Stdout, os.Stderr)
		stop()
	}
	switch {
	case err != nil:
		fmt.Fprintln(os.Stderr, "conformance:", err)
		os.Exit(2)
	case !ok:
		os.Exit(1)
	}
}

func parse(args []string) (*config, error) {
	cfg := &config{}
	flags := flag.NewFlagSet("conformance", flag.ContinueOnError)
	flags.StringVar(&cfg.specs, "specs", "", "directory of a checkout of the specifications")
	suites := flags.String("suite", "", "comma-separated suites to run; all when empty")
	run := flags.String("run", "", "regular expression that suite/file/case must match")
	flags.StringVar(&cfg.json, "json", "", "file for the results as JSON")
	flags.StringVar(&cfg.html, "html", "", "file for the results as a page")
	flags.BoolVar(&cfg.pending, "pending", false, "exit 0 when exactly the cases fail that specs/pending.yaml lists")
	flags.BoolVar(&cfg.rewrite, "rewrite-pending", false, "list in specs/pending.yaml what fails")
	flags.StringVar(&cfg.server, "server", "", "connection string of a deployment to run the unified cases on, instead of those in memory")
	flags.StringVar(&cfg.single, "single-balancer", "",
		"with -server of a load-balanced cluster: connection string of a load balancer in front of one router")
	flags.StringVar(&cfg.several, "several-balancer", "",
		"with -server of a load-balanced cluster: connection string of a load balancer in front of several routers")
	flags.StringVar(&cfg.readme, "readme", "", "README in which the badge and the table of results are replaced")
	flags.BoolVar(&cfg.compile, "compile", false, "compile the cases and list what does not compile; run nothing")
	flags.BoolVar(&cfg.repeat, "repeat", false,
		"run every case again with the race detector and under load; exit 1 when one comes out otherwise")
	flags.BoolVar(&cfg.rows, "rows", false, "instead of the upstream tests, check that our own cases touch every row of the tables")
	if err := flags.Parse(args); err != nil {
		return nil, err
	}
	if flags.NArg() > 0 {
		return nil, fmt.Errorf("unknown argument %q", flags.Arg(0))
	}
	var err error
	if cfg.root, err = moduleRoot(); err != nil {
		return nil, err
	}
	if cfg.rows {
		return cfg, nil
	}
	if cfg.specs == "" {
		return nil, errors.New("-specs must name a checkout of the specifications")
	}
	if info, err := os.Stat(cfg.specs); err != nil || !info.IsDir() {
		return nil, fmt.Errorf("there is no directory %s; -specs must name a checkout of the specifications", cfg.specs)
	}
	if *suites != "" {
		cfg.suites = strings.Split(*suites, ",")
	}
	if cfg.run, err = regexp.Compile(*run); err != nil {
		return nil, fmt.Errorf("-run: %w", err)
	}
	return cfg, nil
}

// moduleRoot finds the directory of go.mod, from the working directory upwards.
func moduleRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", errors.New("no go.mod here or above: run me inside the module")
		}
		dir = parent
	}
}

// run is main without the process; it reports whether nothing failed. When ctx ends it reports what it has.
func run(ctx context.Context, cfg *config, stdout, stderr io.Writer) (bool, error) {
	compiled, skips, err := compile(cfg)
	if err != nil {
		return false, err
	}
	if err := write(cfg, compiled); err != nil {
		return false, err
	}
	if cfg.compile {
		problems := compiled.Problems()
		for _, p := range problems {
			fmt.Fprintln(stdout, p)
		}
		return len(problems) == 0, nil
	}
	start := time.Now()
	results := judge(compiled)
	r := &runner{root: cfg.root, log: stderr, results: results, server: cfg.server, single: cfg.single, several: cfg.several}
	r.progress = newProgress(stderr, len(compiled.Cases))
	if err := r.run(ctx, compiled); err != nil {
		return false, err
	}
	r.clear()
	all := len(compiled.Cases)
	if ctx.Err() != nil {
		keepDone(compiled, results)
	}
	report := newReport(compiled, results, r.elapsed)
	report.addPartial(compiled, skips)
	report.print(stdout, time.Since(start))
	if err := report.addNew(cfg.root, compiled, stdout); err != nil {
		return false, err
	}
	if left := all - len(compiled.Cases); ctx.Err() != nil {
		fmt.Fprintf(stdout, "interrupted: %s of %s cases have not run\n", thousands(left), thousands(all))
		return false, errors.Join(report.writeJSON(cfg.json), report.writeHTML(cfg.html)) // the README only shows whole runs
	}
	if err := errors.Join(report.writeJSON(cfg.json), report.writeHTML(cfg.html), report.writeREADME(cfg.readme)); err != nil {
		return false, err
	}
	if err := skips.checkUnused(compiled); err != nil {
		return false, err
	}
	if cfg.repeat {
		if same, err := repeat(r, compiled, stdout); err != nil || !same {
			return false, err
		}
	}
	if !cfg.pending && !cfg.rewrite {
		return report.Totals.Failed == 0, nil
	}
	return judgePending(cfg, compiled, results, stdout)
}

// keepDone drops the cases that have not run.
func keepDone(compiled *suite.Result, results map[*suite.Case]*outcome) {
	compiled.Cases = slices.DeleteFunc(compiled.Cases, func(c *suite.Case) bool { return c.Skip == "" && !results[c].done })
}

// judgePending compares the failures with the list of allowed ones, or rewrites the list.
func judgePending(cfg *config, compiled *suite.Result, results map[*suite.Case]*outcome, stdout io.Writer) (bool, error) {
	name := filepath.Join(cfg.root, "specs", "pending.yaml")
	list, err := readPending(name)
	if err != nil {
		return false, err
	}
	if cfg.rewrite {
		list.update(compiled, results)
		return true, list.write(name)
	}
	fails, passes := list.judge(compiled, results)
	for _, label := range fails {
		fmt.Fprintln(stdout, "fails, and specs/pending.yaml does not list it:", label)
	}
	for _, label := range passes {
		fmt.Fprintln(stdout, "passes, and specs/pending.yaml lists it:", label)
	}
	return len(fails)+len(passes) == 0, nil
}

// compile finds the chosen cases and compiles them.
func compile(cfg *config) (*suite.Result, *skips, error) {
	specs := os.DirFS(filepath.Join(cfg.root, "specs"))
	o := suite.Options{Dir: upstream, Tag: "upstream"}
	tables := load.NewTables(specs)
	if err := o.Tables(tables); err != nil {
		return nil, nil, err
	}
	if p := tables.Problems(); len(p) > 0 {
		return nil, nil, errors.New(p[0].String())
	}
	zone, err := suite.LoadZone(specs)
	if err != nil {
		return nil, nil, err
	}
	skips, err := readSkips(filepath.Join(cfg.root, "specs", "skips.yaml"))
	if err != nil {
		return nil, nil, err
	}
	if cfg.server != "" {
		skips.accounts = func(variable string) bool { return os.Getenv(variable) != "" }
	}
	files, err := suite.Find(os.DirFS(cfg.specs), cfg.includes)
	if err != nil {
		return nil, nil, fmt.Errorf("look for test files: %w", err)
	}
	if len(files) == 0 {
		return nil, nil, fmt.Errorf("no test files of the chosen suites in %s", cfg.specs)
	}
	o.Zone = zone
	o.Choose = func(f *suite.File, name string) (bool, string) {
		return cfg.run.MatchString(f.Suite + "/" + f.Name() + "/" + name), skips.reason(f, name)
	}
	o.Except = skips.topologiesToSkip
	compiled := suite.Compile(files, o)
	if len(compiled.Cases) == 0 {
		return nil, nil, fmt.Errorf("no case matches %s", cfg.run)
	}
	return compiled, skips, nil
}

func (cfg *config) includes(suite string) bool {
	return len(cfg.suites) == 0 || slices.Contains(cfg.suites, suite)
}

// upstream is where the compiled suites go: git ignores it.
const upstream = "generated/upstream"

// write replaces the compiled suites of an earlier run.
func write(cfg *config, compiled *suite.Result) error {
	if err := os.RemoveAll(filepath.Join(cfg.root, upstream)); err != nil {
		return err
	}
	for _, f := range compiled.Files {
		name := filepath.Join(cfg.root, filepath.FromSlash(f.Path))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return err
		}
		out, err := os.Create(name)
		if err != nil {
			return err
		}
		if err := errors.Join(f.Content.Render(out), out.Close()); err != nil {
			return fmt.Errorf("print %s: %w", f.Path, err)
		}
	}
	return nil
}
