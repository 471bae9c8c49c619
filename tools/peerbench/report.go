package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"text/tabwriter"
	"time"
)

// runReport is the outcome of one run.
type runReport struct {
	Time      time.Time `json:"time"`
	Revision  string    `json:"revision"` // of this repository, with "+" if it was changed
	Go        string    `json:"go"`
	Machine   string    `json:"machine"`
	Documents string    `json:"documents"`
	Attempts  int       `json:"attempts"` // runs of a family that it took until all its null tests passed, at most
	Void      bool      `json:"void"`     // the null tests of a family did not pass in any attempt

	VoidFamilies []string `json:"voidFamilies,omitempty"` // the ones whose figures mean nothing

	Nulls  []taskReport `json:"nullTests"`
	Tasks  []taskReport `json:"tasks"`
	Limits []limit      `json:"limits,omitempty"`

	// The parts that only the whole report has.
	Above     []above        `json:"above,omitempty"`
	Packages  []packageRow   `json:"packages,omitempty"`
	Latency   *latencyReport `json:"latency,omitempty"`
	Delays    []delay        `json:"delays,omitempty"`
	Memory    []scenario     `json:"memory,omitempty"`
	Spec      []specScore    `json:"spec,omitempty"`
	Scenarios []scenario     `json:"scenarios,omitempty"`
	Goodput   *goodputReport `json:"goodput,omitempty"`
	Streams   []stream       `json:"streams,omitempty"`
	Growth    []growth       `json:"growth,omitempty"`
	Where     []whereRow     `json:"where,omitempty"`
}

// taskReport is the outcome of one task.
type taskReport struct {
	Task     string   `json:"task"`
	Goal     float64  `json:"goal,omitempty"`
	Ratio    float64  `json:"ratio"` // of the last side
	Interval interval `json:"interval"`
	Results  []result `json:"results"`

	CPUGoal float64 `json:"cpuGoal,omitempty"`
	Family  string  `json:"family,omitempty"`
	Others  float64 `json:"others,omitempty"` // what other processes took of all processors meanwhile
}

func newTaskReport(t task, results []result) taskReport {
	last := results[len(results)-1]
	return taskReport{Task: t.name, Goal: t.goal, Ratio: last.Ratio, Interval: last.Interval, Results: results, CPUGoal: t.cpuGoal}
}

// describe fills in where and when the run took place.
func (r *runReport) describe(documents string) {
	r.Time = time.Now().UTC().Truncate(time.Second)
	r.Revision = revision()
	r.Go = runtime.Version()
	r.Machine = fmt.Sprintf("%s/%s, %d processors", runtime.GOOS, runtime.GOARCH, runtime.NumCPU())
	r.Documents = documents
}

// revision names the commit that is measured, or returns "" outside a checkout.
func revision() string {
	commit, err := exec.Command("git", "rev-parse", "--short", "HEAD").Output()
	if err != nil {
		return ""
	}
	name := strings.TrimSpace(string(commit))
	if exec.Command("git", "diff", "--quiet", "HEAD").Run() != nil {
		name += "+"
	}
	return name
}

// print writes the report as text.
func (r runReport) print(w io.Writer) error {
	fmt.Fprintf(w, "%s, %s, %s; documents from %s\n", r.Revision, r.Go, r.Machine, r.Documents)
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "task\tofficial ns\tCPU\tallocs\tbytes\tcalls\tonion ns\tCPU\tallocs\tbytes\tcalls\t"+
		"times\t95 %\tCPU times\t95 %\trounds\tothers\tgoal\t")
	for _, t := range r.Nulls {
		t.print(table, string(t.nullVerdict()))
	}
	for _, t := range r.Tasks {
		t.print(table, t.verdict())
	}
	if err := errors.Join(table.Flush(), printLimits(w, r.Limits)); err != nil {
		return err
	}
	if err := r.printRest(w); err != nil {
		return err
	}
	if r.Void {
		fmt.Fprintf(w, "VOID: null tests did not pass in any of %d runs. This machine is too busy; no figure of %s means anything.\n",
			r.Attempts, strings.Join(r.VoidFamilies, ", "))
	}
	return nil
}

// printRest prints what the whole report has in addition to the tasks.
func (r runReport) printRest(w io.Writer) error {
	err := errors.Join(printAbove(w, r.Above), printPackages(w, r.Packages), r.Latency.print(w), printDelays(w, r.Delays),
		printScenarios(w, r.Memory))
	if err != nil {
		return err
	}
	if err := errors.Join(printSpec(w, r.Spec), printScenarios(w, r.Scenarios), r.Goodput.print(w)); err != nil {
		return err
	}
	if err := printStreams(w, r.Streams); err != nil {
		return err
	}
	printGrowth(w, r.Growth)
	return printWhere(w, r.Where)
}

// verdict compares the ratio with the goal. The goal is missed when even the upper end of the interval lies below it.
func (t taskReport) verdict() string {
	last := t.Results[len(t.Results)-1]
	verdict := verdictOf(t.Goal, t.Ratio, t.Interval)
	if t.CPUGoal > 0 {
		verdict += "CPU " + verdictOf(t.CPUGoal, last.CPURatio, last.CPUInterval)
	}
	return verdict
}

func verdictOf(goal, ratio float64, in interval) string {
	switch {
	case goal == 0:
		return ""
	case in.High < goal:
		return fmt.Sprintf("%gx missed", goal)
	case ratio < goal:
		return fmt.Sprintf("%gx nearly", goal)
	}
	return fmt.Sprintf("%gx", goal)
}

func (t taskReport) print(w io.Writer, verdict string) {
	fmt.Fprintf(w, "%s\t", t.Task)
	for _, r := range t.Results {
		fmt.Fprintf(w, "%.0f\t%.0f\t%.0f\t%.0f\t%s\t", r.Nanoseconds, r.CPU, r.Allocations, r.Bytes, r.callText())
	}
	last := t.Results[len(t.Results)-1]
	fmt.Fprintf(w, "%.2fx\t%.2f-%.2f\t%.2fx\t%.2f-%.2f\t%d\t%.0f %%\t%s\t\n", t.Ratio, t.Interval.Low, t.Interval.High,
		last.CPURatio, last.CPUInterval.Low, last.CPUInterval.High, last.Rounds, 100*t.Others, verdict)
}

func (r result) callText() string {
	if r.Writes == 0 && r.Reads == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f+%.1f", r.Writes, r.Reads)
}

// withoutSamples returns the report as the history keeps it.
func (r runReport) withoutSamples() runReport {
	strip := func(tasks []taskReport) []taskReport {
		out := make([]taskReport, len(tasks))
		for i, t := range tasks {
			t.Results = append([]result(nil), t.Results...)
			for j := range t.Results {
				t.Results[j].Samples = nil
			}
			out[i] = t
		}
		return out
	}
	r.Nulls, r.Tasks = strip(r.Nulls), strip(r.Tasks)
	return r
}

func (r runReport) writeJSON(name string) error {
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(name, append(data, '\n'), 0o666)
}
