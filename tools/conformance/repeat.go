package main

import (
	"fmt"
	"io"
	"maps"
	"runtime"
	"slices"
	"sync/atomic"
	"time"

	"github.com/specdrivers/onion/gen/suite"
)

// rerun says how a further run differs from the first one.
type rerun struct {
	name string
	race bool
	load bool // other work keeps every processor busy
}

// repetitions are the runs that -repeat adds. A case whose outcome depends on time or on the scheduler differs in one
// of them.
var repetitions = []rerun{{name: "with the race detector", race: true}, {name: "under load", load: true}}

// repeat runs every case again in each way and prints each outcome that differs from the first run. It reports whether
// none did.
func repeat(r *runner, compiled *suite.Result, stdout io.Writer) (bool, error) {
	same := true
	for _, how := range repetitions {
		start := time.Now()
		next := &runner{
			root: r.root, log: r.log, server: r.server, single: r.single, several: r.several,
			results: judge(compiled), race: how.race, fresh: true,
		}
		stop := func() {}
		if how.load {
			stop = burn(2 * runtime.NumCPU())
		}
		next.progress = newProgress(r.log, len(compiled.Cases))
		err := next.run(r.ctx, compiled)
		stop()
		next.clear()
		if err == nil && r.ctx.Err() != nil {
			err = fmt.Errorf("interrupted while the cases ran again %s", how.name)
		}
		if err != nil {
			return false, err
		}
		differ := 0
		for _, c := range compiled.Cases {
			for _, text := range differences(r.results[c], next.results[c]) {
				fmt.Fprintf(stdout, "%s/%s: %s, %s: %s\n", c.File.Suite, c.File.Name(), c.Name, how.name, text)
				differ++
			}
		}
		fmt.Fprintf(stdout, "again %s, %v: %d outcomes are others\n", how.name, time.Since(start).Round(time.Second), differ)
		same = same && differ == 0
	}
	return same, nil
}

// differences says how a case's outcome differs from the first run: as a whole, and on each deployment.
func differences(first, then *outcome) []string {
	var texts []string
	if first.passed != then.passed {
		texts = append(texts, fmt.Sprintf("%s, and %s before: %s", verdict(then.passed), verdict(first.passed), then.message+first.message))
	}
	for _, where := range slices.Sorted(maps.Keys(first.runs)) {
		a, b := first.runs[where], then.runs[where]
		switch {
		case b == nil:
			texts = append(texts, "did not run on "+where)
		case a.passed != b.passed && first.passed == then.passed:
			texts = append(texts, fmt.Sprintf("%s on %s, and %s before", verdict(b.passed), where, verdict(a.passed)))
		}
	}
	return texts
}

func verdict(passed bool) string {
	if passed {
		return "passes"
	}
	return "fails"
}

// burn keeps processors busy until the returned function is called.
func burn(n int) (stop func()) {
	var done atomic.Bool
	for range n {
		go func() {
			for !done.Load() {
				for i := range 1 << 20 {
					_ = i
				}
			}
		}()
	}
	return func() { done.Store(true) }
}
