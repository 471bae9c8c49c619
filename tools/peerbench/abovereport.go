package main

import (
	"fmt"
	"io"
	"text/tabwriter"
)

func printAbove(w io.Writer, list []above) error {
	if len(list) == 0 {
		return nil
	}
	fmt.Fprintln(w, "Processor time above a bare socket that exchanges the same bytes, in microseconds for each operation.")
	fmt.Fprintln(w, "null is how far Onion lies from itself at most; a gain counts if it exceeds three times as much.")
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "operation\tgoroutines\ttrips\tbytes\tbare\tofficial\tonion\t"+
		"official above\tonion above\ttimes\t95 %\tnull\trounds\tgoal\t")
	var missed []string
	for _, a := range list {
		if a.Goal > 0 && a.Ratio < a.Goal && !a.isRestless() {
			missed = append(missed, aboveName(a.Task, a.Goroutines))
		}
		theirs, ours := a.overBare()
		fmt.Fprintf(table, "%s\t%d\t%s\t%s\t%.1f\t%.1f\t%.1f\t%.1f\t%.1f\t%.1fx\t%.1f-%.1f\t%.2f\t%d\t%s\t\n", a.Task, a.Goroutines,
			bothOf(a.RoundTrips), bothOf(a.Bytes), a.Bare, a.Official, a.Onion, theirs, ours, a.Ratio, a.Interval.Low,
			a.Interval.High, a.Spread, a.Rounds, a.verdict())
	}
	err := table.Flush()
	aboveReasons.print(w, missed)
	return err
}

// aboveReasons are what the profiles by package show of what is above the socket.
var aboveReasons = reasons{
	{"getMore", "the codec takes a quarter of what is above the socket, allocations with the collector another, the scheduler and " +
		"locks a sixth, reading more than a socket's buffer holds a twelfth"},
	{"", "the scheduler, locks and atomic operations take a third of what is above the socket, package exec a fifth, the codec, the " +
		"pool, the connection, the session and package mongo a third; a ping, which has nothing else to do, takes three fifths as much"},
}

// bothOf writes the numbers of both drivers, or one number if they are equal.
func bothOf(n [2]int) string {
	if n[0] == n[1] {
		return fmt.Sprint(n[0])
	}
	return fmt.Sprintf("%d, %d", n[0], n[1])
}

func (a above) describe() string {
	theirs, ours := a.overBare()
	return fmt.Sprintf("%s: %.1f us above the bare socket's %.1f, official %.1f: %.1fx (%.1f to %.1f), null %.2f us",
		aboveName(a.Task, a.Goroutines), ours, a.Bare, theirs, a.Ratio, a.Interval.Low, a.Interval.High, a.Spread)
}
