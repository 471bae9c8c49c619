package main

import (
	"errors"
	"fmt"
	"io"
	"runtime"
)

// budget is what one iteration of a task may take on this driver's side. Time has no budget: it depends on the machine.
type budget struct {
	allocations   float64
	writes, reads float64 // calls on the net.Conn; 0 where there is none
}

var errBudget = errors.New("a budget is exceeded")

// checkBudgets runs the tasks that have a budget and compares. It fails when one is exceeded, or when none was checked.
func checkBudgets(w io.Writer, tasks []task) error {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // so that nothing else allocates meanwhile
	failed := fmt.Errorf("none of the %d tasks has a budget", len(tasks))
	checked := 0
	for _, t := range tasks {
		limit, ok := budgets[t.name]
		if !ok {
			continue
		}
		if checked++; checked == 1 {
			failed = nil
		}
		if err := limit.check(t.sides[len(t.sides)-1]); err != nil {
			fmt.Fprintf(w, "%s: %v\n", t.name, err)
			failed = errBudget
		}
	}
	if failed == nil {
		fmt.Fprintf(w, "%d tasks are within their budgets\n", checked)
	}
	return failed
}

func (b budget) check(s side) error {
	count, _ := measureAllocations(s)
	count = float64(int(count)) // monitors allocate now and then, so round down as testing.AllocsPerRun does
	calls := b.fewestCalls(s)
	var errs []error
	exceeds := func(what string, got, limit float64) {
		if got > limit {
			errs = append(errs, fmt.Errorf("%g %s, the budget is %g", got, what, limit))
		}
	}
	exceeds("allocations", count, b.allocations)
	exceeds("writes", calls.writes, b.writes)
	exceeds("reads", calls.reads, b.reads)
	return errors.Join(errs...)
}

// countings is how often calls are counted at most.
const countings = 10

// fewestCalls counts the calls until they are within the budget. The kernel hands over a large message in two parts now
// and then, which costs a read more; what the driver itself does too often happens in each counting.
func (b budget) fewestCalls(s side) callsPerTask {
	if s.calls == nil {
		return callsPerTask{}
	}
	fewest := s.calls(callRuns)
	for range countings - 1 {
		if fewest.writes <= b.writes && fewest.reads <= b.reads {
			break
		}
		again := s.calls(callRuns)
		fewest = callsPerTask{min(fewest.writes, again.writes), min(fewest.reads, again.reads)}
	}
	return fewest
}
