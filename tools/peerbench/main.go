// Command peerbench compares this driver with the official MongoDB driver for Go, in one process and by turns: times,
// processor times, allocations, and how many times the official driver's speed that is. Rounds are short and ratios are taken
// within a round, so that a machine with other work to do distorts them little.
//
//	go run . -specs ../../../shared/specifications -match 'struct|walk' -json report.json -svg report.svg
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// report is the outcome of one task.
type report struct {
	Task     string   `json:"task"`
	Goal     float64  `json:"goal,omitempty"`
	Ratio    float64  `json:"ratio"`
	CPURatio float64  `json:"cpuRatio"`
	Results  []result `json:"results"`
}

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
	specs, json, svg string
	pattern          *regexp.Regexp
	rounds           int
	heap             int
	roundTime        time.Duration
}

func parseFlags() (s settings, err error) {
	flag.StringVar(&s.specs, "specs", "../../../shared/specifications", "`directory` of the specifications")
	match := flag.String("match", "", "`regexp` of the tasks to run")
	flag.StringVar(&s.json, "json", "", "`file` for the results as JSON")
	flag.StringVar(&s.svg, "svg", "", "`file` for the ratios as a drawing")
	flag.IntVar(&s.rounds, "rounds", 41, "measurements per task and side")
	flag.DurationVar(&s.roundTime, "time", 10*time.Millisecond, "duration of one measurement")
	flag.IntVar(&s.heap, "heap", 64, "`megabytes` that the heap holds besides, as an application's does: an empty one is collected every 4 MB")
	flag.Parse()
	s.pattern, err = regexp.Compile(*match)
	if s.rounds < 1 {
		err = fmt.Errorf("%d rounds measure nothing", s.rounds)
	}
	return s, err
}

func run() error {
	s, err := parseFlags()
	if err != nil {
		return err
	}
	docs, source, err := documents(s.specs)
	if err != nil {
		return err
	}
	fmt.Println("documents from", source)
	ballast := make([]byte, s.heap<<20)
	defer runtime.KeepAlive(ballast)
	var reports []report
	table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "task\tofficial ns\tCPU\tallocs\tonion ns\tCPU\tallocs\ttimes\tCPU times\tgoal\t")
	for _, t := range slices.Concat(bsonTasks(docs), poolTasks(), driverTasks()) {
		if s.pattern.MatchString(t.name) {
			r := newReport(t, measure(t.sides, s.rounds, s.roundTime))
			reports = append(reports, r)
			r.print(table)
		}
	}
	if err := table.Flush(); err != nil {
		return err
	}
	return s.write(reports)
}

func newReport(t task, results []result) report {
	return report{Task: t.name, Goal: t.goal, Ratio: results[1].Ratio, CPURatio: results[1].CPURatio, Results: results}
}

// write writes the files that were asked for.
func (s settings) write(reports []report) error {
	if s.json != "" {
		data, err := json.MarshalIndent(reports, "", "  ")
		if err != nil {
			return err
		}
		if err := os.WriteFile(s.json, append(data, '\n'), 0o666); err != nil {
			return err
		}
	}
	if s.svg != "" {
		var b strings.Builder
		plot(&b, reports)
		return os.WriteFile(s.svg, []byte(b.String()), 0o666)
	}
	return nil
}

func (r report) print(w io.Writer) {
	verdict := ""
	if r.Goal > 0 {
		verdict = fmt.Sprintf("%gx", r.Goal)
		if r.Ratio < r.Goal {
			verdict += " missed"
		}
	}
	a, b := r.Results[0], r.Results[1]
	fmt.Fprintf(w, "%s\t%.0f\t%.0f\t%.0f\t%.0f\t%.0f\t%.0f\t%.1fx\t%.1fx\t%s\t\n",
		r.Task, a.Nanoseconds, a.CPU, a.Allocations, b.Nanoseconds, b.CPU, b.Allocations, r.Ratio, r.CPURatio, verdict)
}
