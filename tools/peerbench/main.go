package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"regexp"
	"runtime"
	"slices"
	"time"
)

func main() {
	do := run
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
	specs, json, svg, html, history, base, profiles string
	budgets, goodput, where                         bool
	pattern                                         *regexp.Regexp
	rounds                                          int
	heap                                            int
	roundTime                                       time.Duration
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
	flag.BoolVar(&s.goodput, "goodput", false, "compare what gets done under overload, and how many connections that takes")
	flag.BoolVar(&s.where, "where", false, "profile only, and say where the processor time goes")
	flag.StringVar(&s.profiles, "profiles", "", "`directory` for the profiles of -where")
	flag.IntVar(&s.rounds, "rounds", 40, "rounds per task")
	flag.DurationVar(&s.roundTime, "time", 10*time.Millisecond, "duration of one measurement")
	flag.IntVar(&s.heap, "heap", 64,
		"`megabytes` that the heap holds besides, as an application's does: an empty one is collected every 4 MB")
	flag.Parse()
	s.pattern, err = regexp.Compile(*match)
	if s.rounds < 1 {
		err = fmt.Errorf("%d rounds measure nothing", s.rounds)
	}
	return s, err
}

var errVoid = errors.New("the report is void: null tests failed")

func run() error {
	s, err := parseFlags()
	if err != nil {
		return err
	}
	if s.base != "" {
		return compareBase(os.Stdout, s)
	}
	if s.goodput {
		return measureGoodput(os.Stdout)
	}
	if s.budgets {
		return checkBudgets(os.Stdout, s.tasks(ownDocuments())) // the same everywhere, with or without a checkout
	}
	docs, source, err := documents(s.specs)
	if err != nil {
		return err
	}
	tasks := s.tasks(docs)
	if s.where {
		rows, err := where(tasks, s.profiles)
		return errors.Join(err, printWhere(os.Stdout, rows))
	}
	if len(tasks) == 0 {
		return fmt.Errorf("no task matches %q", s.pattern)
	}
	ballast := make([]byte, s.heap<<20)
	defer runtime.KeepAlive(ballast)
	compare := func(t task) []result { return measure(t, effort{s.rounds, s.roundTime}) }
	report := measureRun(tasks, pingPong(), compare, func(t taskReport) {
		fmt.Fprintf(os.Stderr, "%s: %.2fx\n", t.Task, t.Ratio)
	})
	report.describe(source)
	if err := errors.Join(report.print(os.Stdout), s.write(report)); err != nil {
		return err
	}
	if report.Void {
		return errVoid
	}
	return nil
}

// tasks returns the tasks that the pattern selects.
func (s settings) tasks(docs []document) []task {
	return slices.DeleteFunc(slices.Concat(bsonTasks(docs), poolTasks(), driverTasks()),
		func(t task) bool { return !s.pattern.MatchString(t.name) })
}

// write writes the files that were asked for.
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
		err = errors.Join(err, writeTo(s.svg, func(f *os.File) error { plot(f, r.Tasks); return nil }))
	}
	if s.html != "" {
		err = errors.Join(err, writeTo(s.html, func(f *os.File) error { return page(f, history) }))
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
