// Command peerbench compares this driver with the official MongoDB driver for Go, in one process and by turns: medians,
// allocations, and how many times the official driver's speed that is.
//
//	go run . -specs ../../../shared/specifications -match 'struct|walk' -json report.json
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"text/tabwriter"
	"time"
)

// report is the outcome of one task.
type report struct {
	Task    string   `json:"task"`
	Goal    float64  `json:"goal,omitempty"`
	Ratio   float64  `json:"ratio"`
	Results []result `json:"results"`
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

func run() error {
	specs := flag.String("specs", "../../../shared/specifications", "`directory` of the specifications")
	match := flag.String("match", "", "`regexp` of the tasks to run")
	output := flag.String("json", "", "`file` for the results as JSON")
	rounds := flag.Int("rounds", 11, "measurements per task and side")
	roundTime := flag.Duration("time", 40*time.Millisecond, "duration of one measurement")
	flag.Parse()
	pattern, err := regexp.Compile(*match)
	if err != nil {
		return err
	}
	docs, source, err := documents(*specs)
	if err != nil {
		return err
	}
	fmt.Println("documents from", source)
	var reports []report
	table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "task\tofficial ns\tCPU\tallocs\tonion ns\tCPU\tallocs\ttimes\tCPU times\tgoal\t")
	for _, t := range slices.Concat(bsonTasks(docs), poolTasks(), driverTasks()) {
		if !pattern.MatchString(t.name) {
			continue
		}
		r := report{Task: t.name, Goal: t.goal, Results: measure(t.sides, *rounds, *roundTime)}
		r.Ratio = r.Results[0].Nanoseconds / r.Results[1].Nanoseconds
		reports = append(reports, r)
		r.print(table)
	}
	if err := table.Flush(); err != nil || *output == "" {
		return err
	}
	data, err := json.MarshalIndent(reports, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(*output, append(data, '\n'), 0o666)
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
		r.Task, a.Nanoseconds, a.CPU, a.Allocations, b.Nanoseconds, b.CPU, b.Allocations, r.Ratio, a.CPU/b.CPU, verdict)
}
