package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"
)

func main() {
	do := run
	if client, uri, ok := strings.Cut(os.Getenv(idleVariable), " "); ok {
		do = func() error { return beIdle(client, uri) }
	}
	if what := strings.SplitN(os.Getenv(memoryVariable), " ", 3); len(what) == 3 {
		do = func() error {
			load, err := time.ParseDuration(what[1])
			return cmp.Or(err, beService(what[0], what[2], load))
		}
	}
	if name := os.Getenv(serveVariable); name != "" {
		do = func() error { return serve(name) }
	}
	if err := do(); err != nil {
		fmt.Fprintln(os.Stderr, "peerbench:", err)
		os.Exit(1)
	}
}

// settings are what the command line says.
type settings struct {
	specs, json, svg, html, history, base string
	report, part, profiles                string
	readme                                string
	budgets, list                         bool
	pattern                               *regexp.Regexp
	rounds                                int
	heap                                  int
	scale                                 int // of the benchmarking specification's tasks
	roundTime                             time.Duration
}

func parseFlags() (s settings, err error) {
	flag.StringVar(&s.specs, "specs", "../../../shared/specifications", "`directory` of the specifications")
	match := flag.String("match", "", "`regexp` of the tasks to run")
	flag.StringVar(&s.json, "json", "", "`file` for the report as JSON")
	flag.StringVar(&s.svg, "svg", "", "`file` for the ratios as a drawing")
	flag.StringVar(&s.html, "html", "", "`file` for the report as a page, with the history if there is one")
	flag.StringVar(&s.history, "history", "", "`file` that holds the reports of all runs; this run is added")
	flag.StringVar(&s.base, "base", "", "`revision` of this repository to compare with")
	flag.BoolVar(&s.budgets, "budgets", false, "check allocations and calls only, without measuring time")
	flag.BoolVar(&s.list, "list", false, "print the names of the tasks, and measure nothing")
	flag.StringVar(&s.readme, "readme", "", "`file` whose table of figures to replace by those of the report in -json; measures nothing")
	flag.StringVar(&s.report, "report", "", "`directory` for the whole report: every part, in every form, with its history")
	flag.StringVar(&s.part, "part", "", "measure only the `part` of that name: above, latency, delay, memory, spec, scenarios, goodput, "+
		"streams, growth or where; -json adds it to a report")
	flag.IntVar(&s.scale, "scale", 10, "`divisor` of the counts in the tasks of the benchmarking specification; 1 is the whole data")
	flag.StringVar(&s.profiles, "profiles", "", "`directory` for the profiles of the part where")
	flag.IntVar(&s.rounds, "rounds", 40, "rounds per task at least; a task whose interval is wide gets up to 8 times as many")
	flag.DurationVar(&s.roundTime, "time", 4*time.Millisecond, "duration of one measurement")
	flag.IntVar(&s.heap, "heap", 64,
		"`megabytes` that the heap holds besides, as an application's does: an empty one is collected every 4 MB")
	flag.Parse()
	if s.report != "" {
		err = s.reportFiles()
	}
	var bad error
	if s.pattern, bad = regexp.Compile(*match); bad != nil {
		err = bad
	}
	if s.rounds < 1 {
		err = fmt.Errorf("%d rounds measure nothing", s.rounds)
	}
	return s, err
}

// reportFiles sets default names for the files of the whole report.
func (s *settings) reportFiles() error {
	for name, file := range map[string]*string{
		"report.json": &s.json, "report.svg": &s.svg, "report.html": &s.html, "history.jsonl": &s.history, "profiles": &s.profiles,
	} {
		if *file == "" {
			*file = filepath.Join(s.report, name)
		}
	}
	return os.MkdirAll(s.profiles, 0o777)
}

var errVoid = errors.New("the report is void: null tests failed")

func run() error {
	s, err := parseFlags()
	if err != nil {
		return err
	}
	if s.readme != "" {
		return writeREADME(s.readme, s.json)
	}
	if s.base != "" {
		return compareBase(os.Stdout, s)
	}
	if s.budgets {
		return checkBudgets(os.Stdout, s.tasks(ownDocuments())) // the same everywhere, with or without a checkout
	}
	ballast := make([]byte, s.heap<<20)
	defer runtime.KeepAlive(ballast)
	switch {
	case s.list:
		return s.printTasks(os.Stdout)
	case s.part != "":
		return measurePart(s)
	}
	docs, source, err := documents(s.specs)
	if err != nil {
		return err
	}
	tasks := s.tasks(docs)
	if len(tasks) == 0 {
		return fmt.Errorf("no task matches %q", s.pattern)
	}
	compare := func(t task) []result { return measure(t, effort{s.rounds, s.roundTime}) }
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second interrupt ends the program at once
	report := runner{pingPong(), compare, sayTask, func() bool { return ctx.Err() != nil }, startOtherLoad}.measureRun(tasks)
	report.describe(source)
	report.Limits = report.limits(docs, bareBound)
	if s.report != "" {
		for _, part := range parts {
			if ctx.Err() != nil {
				break
			}
			if err := part.measure(s, &report); err != nil {
				return fmt.Errorf("%s: %w", part.name, err)
			}
		}
	}
	err = errors.Join(report.print(os.Stdout), s.write(report))
	switch {
	case err != nil:
		return err
	case ctx.Err() != nil:
		return fmt.Errorf("interrupted: %d of %d tasks are measured, and what comes behind them is not", len(report.Tasks), len(tasks))
	case report.Void:
		return errVoid
	}
	return nil
}

// part is something that the whole report has in addition to the tasks.
type part struct {
	name    string
	measure func(settings, *runReport) error
}

var parts = []part{
	{"spec", func(s settings, r *runReport) (err error) {
		r.Spec, err = measureSpec(s, func(t specScore) { say("%s, %s: %.2fx", t.Task, t.Server, t.Ratio) })
		return err
	}},
	{"above", func(s settings, r *runReport) (err error) {
		if r.Above, err = measureAbove(s, func(a above) { say("%s", a.describe()) }); err == nil {
			r.Packages, err = measurePackages(s)
		}
		return err
	}},
	{"latency", func(s settings, r *runReport) (err error) {
		r.Latency, err = measureLatency(s, func(line string) { say("%s", line) })
		return err
	}},
	{"delay", func(s settings, r *runReport) (err error) {
		r.Delays, err = measureDelay(s, func(d delay) { say("%s", d.describe()) })
		return err
	}},
	{"memory", func(s settings, r *runReport) (err error) {
		r.Memory, err = measureMemory(max(2*time.Second, time.Duration(s.rounds)*100*time.Millisecond))
		return err
	}},
	{"scenarios", func(_ settings, r *runReport) (err error) {
		r.Scenarios, err = measureScenarios(func(t scenario) { say("%s %s: %.1f, official %.1f", t.Name, t.Unit, t.Onion, t.Official) })
		return err
	}},
	{"goodput", func(_ settings, r *runReport) (err error) {
		r.Goodput, err = measureGoodput()
		return err
	}},
	{"streams", func(s settings, r *runReport) (err error) {
		r.Streams, err = measureStreams(s, func(t stream) { say("%s: %.2fx, processor time %.2fx", t.Task, t.Ratio, t.CPURatio) })
		return err
	}},
	{"growth", func(s settings, r *runReport) (err error) {
		r.Growth, err = measureGrowth(s, func(line string) { say("%s", line) })
		return err
	}},
	{"where", func(s settings, r *runReport) (err error) {
		r.Where, err = profileTasks(driverTasks(), s.profiles)
		return err
	}},
}

func sayTask(t taskReport) {
	if strings.HasPrefix(t.Task, "null test") {
		say("%s", t.describeNull())
		return
	}
	last := t.Results[len(t.Results)-1]
	say("%s: %.2fx, processor time %.2fx, %d rounds", t.Task, last.Ratio, last.CPURatio, last.Rounds)
}

func say(format string, args ...any) { fmt.Fprintf(os.Stderr, format+"\n", args...) }

// measurePart measures and prints one part alone.
func measurePart(s settings) error {
	for _, p := range parts {
		if p.name == s.part {
			r, err := readReport(s.json)
			if err != nil {
				return err
			}
			if err := p.measure(s, &r); err != nil {
				return err
			}
			if s.json != "" {
				err = r.writeJSON(s.json)
			}
			return errors.Join(r.printRest(os.Stdout), r.Goodput.check(), err)
		}
	}
	return fmt.Errorf("there is no part %q", s.part)
}

// readReport reads the report in a file, so that a part can be added to it: an empty one where there is none yet.
func readReport(name string) (r runReport, err error) {
	data, err := os.ReadFile(name)
	switch {
	case name == "" || errors.Is(err, fs.ErrNotExist):
		return r, nil
	case err != nil:
		return r, err
	}
	if err := json.Unmarshal(data, &r); err != nil {
		return r, fmt.Errorf("%s: %w", name, err)
	}
	return r, nil
}

func (s settings) printTasks(w io.Writer) error {
	for _, t := range s.tasks(ownDocuments()) {
		if _, err := fmt.Fprintln(w, t.name); err != nil {
			return err
		}
	}
	return nil
}

// tasks returns the tasks that the pattern selects.
func (s settings) tasks(docs []document) []task {
	return slices.DeleteFunc(slices.Concat(bsonTasks(docs), poolTasks(), driverTasks(), traceTasks(), largeTasks()),
		func(t task) bool { return !s.pattern.MatchString(t.name) })
}

// write writes the files that the command line names.
func (s settings) write(r runReport) (err error) {
	history := []runReport{r}
	if s.history != "" {
		if history, err = appendHistory(s.history, r); err != nil {
			return err
		}
		if r.Void {
			history = append(history, r)
		}
	}
	if s.json != "" {
		err = r.writeJSON(s.json)
	}
	if s.svg != "" {
		err = errors.Join(err, writeTo(s.svg, func(f *os.File) error { drawPlot(f, r.Tasks); return nil }))
	}
	if s.html != "" {
		err = errors.Join(err, writeTo(s.html, func(f *os.File) error { return writePage(f, history) }))
	}
	return err
}

func writeTo(name string, write func(*os.File) error) error {
	file, err := os.Create(name)
	if err != nil {
		return err
	}
	return errors.Join(write(file), file.Close())
}
