package simulate

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/specdrivers/onion/tools/simulate/internal/picture"
	"github.com/specdrivers/onion/tools/simulate/internal/scenario"
	"github.com/specdrivers/onion/tools/simulate/internal/world"
)

var (
	first   = flag.Uint64("first", 0, "the first seed; 0 takes one from the clock")
	seeds   = flag.Int("seeds", 3, "how many seeds")
	long    = flag.Duration("for", 0, "go on with further seeds for this long")
	stop    = flag.Bool("stop", false, "stop at the first violation")
	replay  = flag.String("replay", "", "carry out the scenario in a file")
	times   = flag.Int("times", 1, "how often to carry it out, until it fails")
	shrink  = flag.Int("shrink", 0, "with -replay: take out what the failure does not need, in so many attempts")
	keep    = flag.String("keep", "", "with -replay: keep a scenario that fails, shrunk or not, as the case of this name")
	html    = flag.String("html", "", "with -replay: draw the world into a file")
	out     = flag.String("out", "", "the folder for the scenarios of seeds that fail; the default is a temporary one")
	patient = flag.Duration("patience", time.Minute, "how much processor time may pass while one world lasts")
)

// TestSeeds carries out the scenarios of some seeds. It prints the first seed, which repeats the same run. After an
// interrupt, the worlds that are running finish, and the test reports what it has.
func TestSeeds(t *testing.T) {
	if *first == 0 {
		*first = uint64(time.Now().UnixNano()) / 1000 % 1_000_000_000
	}
	fmt.Printf("seeds from %d on\n", *first)
	interrupted, heed := signal.NotifyContext(t.Context(), os.Interrupt, syscall.SIGTERM)
	defer heed()
	context.AfterFunc(interrupted, heed) // a second interrupt ends the program at once
	console, err := os.Stdout.Stat()
	watched := err == nil && console.Mode()&os.ModeCharDevice != 0
	began, next, seen := time.Now(), atomic.Uint64{}, totals{}
	worlds := func() {
		for (!*stop || !t.Failed()) && interrupted.Err() == nil {
			i := next.Add(1) - 1
			if i >= uint64(*seeds) && time.Since(began) > *long {
				return
			}
			seed := *first + i
			t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
				result := run(t, scenario.Generate(seed))
				report(t, result)
				seen.add(result)
			})
			if watched {
				fmt.Printf("\r%d seeds in %v", i+1, time.Since(began).Round(time.Second))
			}
		}
	}
	var running sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		running.Go(worlds)
	}
	running.Wait()
	if watched {
		fmt.Println()
	}
	fmt.Printf("%d seeds in %v, %v of processor time\n", seen.worlds, time.Since(began).Round(time.Second), processorTime().Round(time.Second))
	seen.report(t)
}

// TestReplay carries out the scenario of the flag.
func TestReplay(t *testing.T) {
	if *replay == "" {
		t.Skip("no scenario is named")
	}
	s, err := load(*replay)
	if err != nil {
		t.Fatal(err)
	}
	var result *world.Result
	for range *times {
		if result = run(t, s); len(result.Violations) > 0 {
			break
		}
	}
	if *shrink > 0 && len(result.Violations) > 0 {
		result = shrinkWorld(t, result)
	}
	if *keep != "" && len(result.Violations) > 0 {
		if err := keepCase(filepath.Join(cases, *keep+".txt"), result); err != nil {
			t.Error(err)
		}
	}
	if *html != "" {
		if err := draw(*html, result); err != nil {
			t.Error(err)
		}
	}
	t.Logf("faults with an effect: %s", listEffects(result))
	report(t, result)
}

// listEffects lists the faults that had an effect, with how often they had it.
func listEffects(result *world.Result) string {
	var list []string
	for _, kind := range scenario.Kinds {
		if n := result.Effects[kind]; n > 0 {
			list = append(list, fmt.Sprintf("%s %d", kind, n))
		}
	}
	return cmp.Or(strings.Join(list, ", "), "none")
}

// shrinkWorld returns the world of the smallest scenario in which the first violation's checker still fails.
func shrinkWorld(t *testing.T, result *world.Result) *world.Result {
	checker := result.Violations[0].Checker
	scenario.Shrink(result.Scenario, *shrink, func(s *scenario.Scenario) bool {
		for range *times {
			again := run(t, s)
			if slices.ContainsFunc(again.Violations, func(v world.Violation) bool { return v.Checker == checker }) {
				result = again
				fmt.Printf("smaller: faults: %d, operations: %d\n", len(s.Faults), len(s.Ops)) // go test -v shows it at once
				return true
			}
		}
		return false
	})
	t.Logf("what is left: faults: %d, operations: %d", len(result.Scenario.Faults), len(result.Scenario.Ops))
	return result
}

func draw(name string, result *world.Result) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	defer f.Close()
	return picture.Draw(f, result)
}

// report prints the violations and saves the scenario and the history that they were found in.
func report(t *testing.T, result *world.Result) {
	t.Helper()
	if len(result.Violations) == 0 {
		t.Logf("%d operations, %d commands", len(result.History), result.Commands)
		return
	}
	for _, v := range result.Violations {
		t.Errorf("%s", v)
	}
	folder, err := filepath.Abs(cmp.Or(*out, os.TempDir()))
	if err == nil {
		err = os.MkdirAll(folder, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(folder, fmt.Sprintf("simulate-%d-%s.txt", result.Scenario.World.Seed, result.Violations[0].Checker))
	var text strings.Builder
	if err := write(&text, result); err != nil {
		t.Fatal(err)
	}
	for _, r := range result.History {
		line := fmt.Sprintf("%v to %v worker %d %s %s: %s %v", r.Start, r.End, r.Worker, r.Workload, r.Op.Kind, r.Text, r.Err)
		fmt.Fprintf(&text, "# %s\n", strings.ReplaceAll(line, "\n", "; "))
	}
	if err := os.WriteFile(name, []byte(text.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Errorf("to see it again: cd tools/simulate && go test -run TestReplay . -args -times 20 -replay %s", name)
}
