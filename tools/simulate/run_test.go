package simulate

import (
	"fmt"
	"runtime/debug"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/specdrivers/onion/tools/simulate/internal/scenario"
	"github.com/specdrivers/onion/tools/simulate/internal/world"
)

// run runs a scenario in a bubble. A world whose goroutines all wait forever is a violation, too.
func run(t *testing.T, s *scenario.Scenario) (result *world.Result) {
	result = &world.Result{Scenario: s}
	ended := make(chan struct{})
	go watch(s, ended)
	defer close(ended)
	defer func() {
		if failure := recover(); failure != nil {
			result.Violations = append(result.Violations, world.Violation{Checker: "deadlock", Text: fmt.Sprint(failure)})
		}
	}()
	synctest.Test(t, func(t *testing.T) { result = world.Run(t, s) })
	result.Judge()
	return result
}

// watch ends the program when a world takes too long. On a busy machine a real clock says little, so the limit is one of
// processor time, which all worlds of the program share. A world that waits without using any gets an hour.
func watch(s *scenario.Scenario, ended <-chan struct{}) {
	began, used := time.Now(), processorTime()
	ticks := time.NewTicker(10 * time.Second)
	defer ticks.Stop()
	for {
		select {
		case <-ended:
			return
		case <-ticks.C:
		}
		if took := processorTime() - used; took > *patient || time.Since(began) > time.Hour {
			debug.SetTraceback("all")
			panic(fmt.Sprintf("the world of seed %d has not ended after %v, of which the processor worked for %v",
				s.World.Seed, time.Since(began).Round(time.Second), took))
		}
	}
}

// processorTime returns the processor time that the program has used.
func processorTime() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
