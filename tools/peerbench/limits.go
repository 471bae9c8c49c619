package main

import (
	"fmt"
	"io"
	"runtime"
	"strings"
	"text/tabwriter"
	"time"
)

// limit is a goal that a task does not reach, with the known reason, and the time of the part that no code could avoid.
type limit struct {
	Task      string  `json:"task"`
	Goal      float64 `json:"goal"`
	Ratio     float64 `json:"ratio"`
	Missing   float64 `json:"missingNs"` // by how much an iteration is too long for the goal
	Bound     string  `json:"bound,omitempty"`
	BoundTime float64 `json:"boundNs,omitempty"`
	Reason    string  `json:"reason,omitempty"`
}

// reasons say what limits what misses its goal, by a part of its name; the first that fits counts.
type reasons []struct{ part, reason string }

func (r reasons) of(name string) string {
	for _, known := range r {
		if strings.Contains(name, known.part) {
			return known.reason
		}
	}
	return ""
}

// print writes a line under a table for what misses its goal.
func (r reasons) print(w io.Writer, missed []string) {
	for _, name := range missed {
		if reason := r.of(name); reason != "" {
			fmt.Fprintf(w, "%s: %s\n", name, reason)
		}
	}
}

// limitReasons say what profiles show of tasks.
var limitReasons = reasons{
	{"walk", "where an element starts depends on the key and the size before; the bound has no checks, keys or values"},
	{"to extended JSON", "strings (two fifths), strconv's numbers (a quarter) and a copy of the text (a tenth)"},
	{"from extended JSON", "values in wrappers of more than one key, as binary data and code have, become BSON first, each by itself"},
	{"to D", "allocations and the collector take about half: one copy of the document, the elements, and the headers of strings"},
	{"to M", "Go's maps: a hash, a probe and an insertion for each element"},
	{"from D", "a branch on the type of each value, and checks of bounds; the same values sorted by type take as long"},
	{"from M", "iterating over Go's maps"},
	{"validate", "this driver looks into embedded documents and checks UTF-8; the official one checks only their length"},
	{"struct unmarshal", "five allocations of 832 bytes, a third of the time"},
	{"struct marshal, plan", "a pooled buffer and the copy of the result: without, 320 of 375 ns, in memory of guessed length"},
	{"struct marshal append", "4 ns a field: a capacity check, a header, and a check of UTF-8 for each text"},
	{"ObjectID, new", "time.Now, which reads two clocks, takes 50 of 55 ns on both sides"},
	{"ObjectID from", "four of the 15 ns are the call and the loop around it, on both sides; 3.8 more pack the digits, and 2.2 check them"},
	{"read 1000", "the codec takes two fifths of the processor time, the driver a quarter, strings and the slice a seventh, system " +
		"calls, the scheduler, locks and the collector a sixth; the server's time counts too"},
	{"insertMany", "the codec and the driver take three tenths of the processor time each, _ids and buffers a seventh, system calls, the " +
		"collector and locks a twelfth each"},
	{"goroutines", "with one goroutine, system calls and the scheduler take nine tenths of the processor time; with 256 they take two " +
		"thirds, and the driver a quarter"},
	{"1 MB", "the compressor or cipher, which both drivers share, takes most of the processor time"},
}

// limits lists the tasks that do not reach their goals. bare measures what a task takes over bare sockets.
func (r runReport) limits(docs []document, bare func(task string) (elapsed, cpu float64, ok bool)) (list []limit) {
	add := func(t taskReport, name string, goal, ratio, nanoseconds float64) {
		if goal == 0 || ratio >= goal {
			return
		}
		l := limit{Task: name, Goal: goal, Ratio: ratio, Missing: nanoseconds * (1 - ratio/goal), Reason: limitReasons.of(t.Task)}
		if elapsed, cpu, ok := bare(t.Task); ok && name == t.Task {
			l.Bound, l.BoundTime = "the same over bare sockets", elapsed
		} else if ok {
			l.Bound, l.BoundTime = "the same over bare sockets", cpu
		} else {
			l.Bound, l.BoundTime = measureBound(t.Task, t.Results[len(t.Results)-1], docs)
		}
		list = append(list, l)
	}
	for _, t := range r.Tasks {
		last := t.Results[len(t.Results)-1]
		add(t, t.Task, t.Goal, t.Ratio, last.Nanoseconds)
		add(t, t.Task+" (processor time)", t.CPUGoal, last.CPURatio, last.CPU)
	}
	return list
}

// measureBound measures what no implementation of a task could avoid.
func measureBound(name string, of result, docs []document) (what string, nanoseconds float64) {
	if of.Allocations >= 1 {
		size := max(int(of.Bytes/of.Allocations), 1)
		return "as many allocations of the same sum", of.Allocations * shortestAverage(func() {
			b := make([]byte, size)
			runtime.KeepAlive(&b[0]) // so that the compiler leaves the allocation in
		})
	}
	if strings.HasPrefix(name, "ObjectID from") {
		return "packing 24 digits without a check", shortestAverage(func() { Sink += int(packDigits(digits)[0]) })
	}
	for _, doc := range docs {
		if name == doc.name+" walk" {
			return "a walk by hand", shortestAverage(walkByHand(doc.raw))
		}
		if strings.HasPrefix(name, doc.name+" ") {
			to := make([]byte, len(doc.raw))
			return "copying the document", shortestAverage(func() { copy(to, doc.raw) })
		}
	}
	return "", 0
}

// shortestAverage returns the shortest average time of f in a number of runs.
func shortestAverage(f func()) float64 {
	const runs, times = 50, 1000
	shortest := time.Hour
	for range runs {
		start := time.Now()
		for range times {
			f()
		}
		shortest = min(shortest, time.Since(start))
	}
	return float64(shortest) / times
}

func printLimits(w io.Writer, list []limit) error {
	if len(list) == 0 {
		return nil
	}
	fmt.Fprintln(w, "\nGoals that are not reached, and what limits them:")
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "task\ttimes\tgoal\ttoo long by\tbound\treason")
	for _, l := range list {
		bound := "-"
		if l.Bound != "" {
			bound = fmt.Sprintf("%s: %.0f ns", l.Bound, l.BoundTime)
		}
		fmt.Fprintf(table, "%s\t%.2fx\t%gx\t%.0f ns\t%s\t%s\n", l.Task, l.Ratio, l.Goal, l.Missing, bound, l.Reason)
	}
	return table.Flush()
}
