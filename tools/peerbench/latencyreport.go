package main

import (
	"errors"
	"fmt"
	"io"
	"text/tabwriter"
)

func (l latency) describe() string {
	return fmt.Sprintf("%s, pool of %d, %.0f %% (%.0f/s): p99.9 %.0f us, official %.0f us", l.Task, l.Pool, 100*l.Load, l.Rate,
		l.Onion.P999, l.Official.P999)
}

func (k knee) describe() string {
	return fmt.Sprintf("%s, pool of %d: %.0f/s, official %.0f/s, bare sockets %.0f/s; no knee up to %.1fx, bare sockets %.1fx",
		k.Task, k.Pool, k.Onion, k.Official, k.Bare, k.Reached, k.BareEnds)
}

func (r *latencyReport) print(w io.Writer) error {
	if r == nil {
		return nil
	}
	fmt.Fprintln(w, "Latency of requests that arrive by a clock, in microseconds from the time they should have arrived, at a part of")
	fmt.Fprintln(w, "what the official driver serves at most. late is how late the clock started 0.1 % of them, and part of the latency.")
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "requests\tpool\tload\t1/s\tside\t"+
		"p50\tp99\tp99.9\tworst\tlate\tcollections\tpauses\tnull\tgoal\t")
	for _, l := range r.Loads {
		for side, f := range []loopFigures{l.Official, l.Onion} {
			name, null, goal := "official", "", ""
			if side == 1 {
				name, null, goal = "onion", fmt.Sprintf("%.2f", l.Null), l.goal()
			}
			fmt.Fprintf(table, "%s\t%d\t%.0f %%\t%.0f\t%s\t", l.Task, l.Pool, 100*l.Load, l.Rate, name)
			fmt.Fprintf(table, "%.0f\t%.0f\t%.0f\t%.0f\t%.0f\t%d\t%.0f\t%s\t%s\t\n",
				f.P50, f.P99, f.P999, f.Worst, f.Late, f.Collections, f.Pauses, null, goal)
		}
	}
	knees := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(knees, "requests\tpool\tofficial/s\tonion/s\tbare sockets/s\tno knee up to\tbare sockets\tgoal\t")
	for _, k := range r.Knees {
		fmt.Fprintf(knees, "%s\t%d\t%.0f\t%.0f\t%.0f\t%.1fx\t%.1fx\t%s\t\n", k.Task, k.Pool, k.Official, k.Onion, k.Bare,
			k.Reached, k.BareEnds, k.goal())
	}
	return errors.Join(table.Flush(), knees.Flush())
}
