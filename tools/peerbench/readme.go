package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
)

// What stands between these two lines of the README comes from a report.
const (
	figuresStart = "<!-- tools/peerbench -readme writes from here -->\n"
	figuresEnd   = "<!-- to here -->\n"
)

// readmeRow is a row of the README's table: what the tasks have in common, and their names in the report.
type readmeRow struct {
	title string
	tasks []string
}

func readmeRows() []readmeRow {
	of := func(format string, names ...string) (tasks []string) {
		for _, name := range names {
			tasks = append(tasks, fmt.Sprintf(format, name))
		}
		return tasks
	}
	documents, goroutines := []string{"flat", "deep", "full"}, []string{"1", "16", "256"}
	return []readmeRow{
		{"struct to BSON: by reflection, by generated code", []string{"struct marshal, plan", "struct marshal append, bsongen"}},
		{"BSON to struct: by reflection, by generated code", []string{"struct unmarshal, plan", "struct unmarshal, bsongen"}},
		{"BSON to `bson.D`: flat, deep, full", of("%s to D", documents...)},
		{"`bson.D` to BSON: flat, deep, full", of("%s from D, append", documents...)},
		{"walking raw BSON: flat, deep, full", of("%s walk", documents...)},
		{"extended JSON to `bson.D`: flat, deep, full", of("%s from extended JSON, to D", documents...)},
		{"findOne: 1, 16, 256 goroutines", of("findOne, %s goroutines, canned", goroutines...)},
		{"insertOne: 1, 16, 256 goroutines", of("insertOne, %s goroutines, canned", goroutines...)},
		{"reading 1000 documents into structs: 1, 16, 256 goroutines", of("read 1000 documents, %s goroutines, canned", goroutines...)},
	}
}

// writeREADME replaces the figures in the README with the figures of the report in the JSON file.
func writeREADME(readme, report string) error {
	r, err := readReport(report)
	if err != nil {
		return err
	}
	figures, err := r.figures()
	if err != nil {
		return fmt.Errorf("%s: %w", report, err)
	}
	text, err := os.ReadFile(readme)
	if err != nil {
		return err
	}
	before, rest, ok := strings.Cut(string(text), figuresStart)
	_, after, found := strings.Cut(rest, figuresEnd)
	if !ok || !found {
		return fmt.Errorf("%s has no lines %q and %q", readme, figuresStart, figuresEnd)
	}
	return os.WriteFile(readme, []byte(before+figuresStart+figures+figuresEnd+after), 0o666)
}

// figures returns the part of the README that a report makes.
func (r runReport) figures() (string, error) {
	if r.Void {
		return "", errors.New("the report is void")
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Revision %s, %s, %s: times the official driver's speed, and the allocations of\nthe official driver; of Onion.\n\n",
		r.Revision, r.Go, r.Machine)
	b.WriteString("| task | times | allocations |\n|---|---|---|\n")
	r.aboveRows(&b)
	for _, row := range readmeRows() {
		if err := r.figureRow(&b, row); err != nil {
			return "", err
		}
	}
	one, err := r.task("findOne, 1 goroutines, canned")
	if err != nil {
		return "", err
	}
	i := slices.IndexFunc(r.Nulls, func(t taskReport) bool { return len(t.Results) > 0 && t.Results[0].Side == "bare" })
	if i < 0 {
		return "", errors.New("it has no null test of the bare socket")
	}
	if len(r.Above) > 0 {
		b.WriteString("\nA dash stands where the null test spreads more than a third of what Onion takes: one goroutine wakes a thread\n" +
			"for each round trip, which takes longer than the driver does, and never equally long.\n")
	}
	fmt.Fprintf(&b, "\nThe operations run against a server that answers with prepared replies, in a process of its own. "+
		"A findOne at one goroutine\ntook %.1f us, a bare socket ping-pong %.1f us.\n\n",
		one.Results[len(one.Results)-1].Nanoseconds/1e3, r.Nulls[i].Results[0].Nanoseconds/1e3)
	return b.String(), nil
}

// aboveRows are the first rows: how many times less processor time an operation takes above a bare socket.
func (r runReport) aboveRows(b *strings.Builder) {
	for _, goroutines := range fewAndMany {
		var names, times []string
		for _, a := range r.Above {
			if a.Goroutines != goroutines {
				continue
			}
			ratio := fmt.Sprintf("%.1f", a.Ratio)
			if a.isRestless() {
				ratio = "-"
			}
			names, times = append(names, a.Task), append(times, ratio)
		}
		if len(names) > 0 {
			fmt.Fprintf(b, "| processor time above a bare socket (goroutines: %d): %s | %s | |\n", goroutines, strings.Join(names, ", "),
				strings.Join(times, ", "))
		}
	}
}

func (r runReport) figureRow(b *strings.Builder, row readmeRow) error {
	var times, theirs, ours []string
	for _, name := range row.tasks {
		t, err := r.task(name)
		if err != nil {
			return err
		}
		times = append(times, fmt.Sprintf("%.1f", t.Ratio))
		theirs = append(theirs, fmt.Sprintf("%.0f", t.Results[0].Allocations))
		ours = append(ours, fmt.Sprintf("%.0f", t.Results[len(t.Results)-1].Allocations))
	}
	fmt.Fprintf(b, "| %s | %s | %s; %s |\n", row.title, strings.Join(times, ", "),
		strings.Join(slices.Compact(theirs), ", "), strings.Join(slices.Compact(ours), ", "))
	return nil
}

func (r runReport) task(name string) (taskReport, error) {
	for _, t := range r.Tasks {
		if t.Task == name && len(t.Results) > 0 {
			return t, nil
		}
	}
	return taskReport{}, fmt.Errorf("it has no task %q", name)
}
