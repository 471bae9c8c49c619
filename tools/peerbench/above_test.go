package main

import (
	"bytes"
	"strings"
	"sync/atomic"
	"testing"
)

// The operations have to take as many round trips with either driver: what one of them saves there would be counted as
// processor time. The bare sockets have to get a reply to each message.
func TestOperationsTakeAsManyRoundTrips(t *testing.T) {
	uri, err := openServer("primary")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]int{"transaction of three commands": 4}
	for _, op := range aboveOperations() {
		theirs, ours, err := tappedMessages(&server{address: uri}, op)
		if err != nil {
			t.Fatalf("%s: %v", op.name, err)
		}
		if n := max(1, want[op.name]); len(theirs) != n || len(ours) != n {
			t.Errorf("%s takes %d and %d round trips, want %d", op.name, len(theirs), len(ours), n)
		}
		bare, err := dialBare(hostOf(uri), 3, ours)
		if err != nil {
			t.Fatalf("%s: %v", op.name, err)
		}
		bare.run(10)
		bare.close()
	}
}

func TestMessagesAreCutByTheirLength(t *testing.T) {
	ping := pingMessage()
	stream := bytes.Repeat(ping, 3)
	if got := splitMessages(stream[:len(stream)-1]); len(got) != 2 || !bytes.Equal(got[1], ping) {
		t.Errorf("%d whole messages, want 2", len(got))
	}
}

// roundsOf makes rounds in which each side takes the same time, in microseconds, except for what noise adds.
func roundsOf(n int, noise func(side, round int) float64, micros ...float64) *rounds {
	r := newRounds(len(micros))
	for side, m := range micros {
		for round := range n {
			ns := 1e3 * (m + noise(side, round))
			r.cpu[side] = append(r.cpu[side], [2]float64{ns, ns})
		}
	}
	r.times = r.cpu
	return r
}

func TestTimesAboveTheBareSocket(t *testing.T) {
	wholeRounds := func(_, round int) float64 { return float64(round % 7) } // a slow phase slows every side
	null := func(side, round int) float64 {
		if side == againSide {
			return float64(round%5-2) * 2
		}
		return 0
	}
	tests := map[string]struct {
		noise   func(side, round int) float64
		goal    float64
		ratio   float64
		verdict string
	}{
		"met":                 {wholeRounds, 8, 8, "8x"},
		"missed":              {wholeRounds, 9, 8, "9x missed"},
		"without a goal":      {wholeRounds, 0, 8, ""},
		"missed, a wide null": {null, 9, 8, "void: the null test spreads too far"},
		"met, a wide null":    {null, 6, 8, "6x"},
	}
	for name, tt := range tests {
		a := above{Goal: tt.goal}
		a.compute(roundsOf(20, tt.noise, 20, 44, 23, 23))
		if a.Ratio != tt.ratio || a.verdict() != tt.verdict {
			t.Errorf("%s: %gx, %q; want %gx, %q", name, a.Ratio, a.verdict(), tt.ratio, tt.verdict)
		}
	}
}

func TestTheNullTestShowsASideThatIsFavored(t *testing.T) {
	var a above
	a.compute(roundsOf(20, func(int, int) float64 { return 0 }, 20, 44, 23, 25))
	if a.Spread != 2 {
		t.Errorf("the null test spreads %g us, want 2", a.Spread)
	}
}

// The goroutines of a crew stay: each turn does as many operations as it was asked for, on the same goroutines.
func TestACrewWorksInTurns(t *testing.T) {
	var done atomic.Int64
	c := crewOf(4, func() error { done.Add(1); return nil })
	defer c.close()
	for _, n := range []int{1, 4, 100} {
		done.Store(0)
		if c.run(n); done.Load() != int64(n) {
			t.Errorf("%d operations, want %d", done.Load(), n)
		}
	}
}

func TestPackageOfAFrame(t *testing.T) {
	for frame, want := range map[string]string{
		"github.com/specdrivers/onion/runtime/pool.(*Pool[go.shape.*github.com/x/y.Z]).CheckOut": "onion/runtime/pool",
		"go.mongodb.org/mongo-driver/v2/x/mongo/driver.Operation.Execute":                        "mongo-driver/x/mongo/driver",
		"runtime.mallocgc":                        "runtime, allocation",
		"internal/runtime/syscall/linux.Syscall6": "runtime, system calls",
		"memeqbody":                               "assembly of the runtime",
		"net.(*conn).Read":                        "net",
	} {
		if got := packageOf([]string{frame}); got != want {
			t.Errorf("%s is of %q, want %q", frame, got, want)
		}
	}
}

func TestAboveIsPrinted(t *testing.T) {
	var b strings.Builder
	a := above{Task: "ping", Goroutines: 1, RoundTrips: [2]int{1, 1}, Bytes: [2]int{144, 140}}
	a.compute(roundsOf(20, func(int, int) float64 { return 0 }, 20, 44, 23, 23))
	rows := []packageRow{{Task: "ping", Side: "onion", Total: 3e3, Packages: map[string]float64{"net": 2e3, "os": 1e3, "fmt": 1}}}
	if err := (runReport{Above: []above{a}, Packages: rows}).printRest(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"8.0x", "144, 140", "net   2.00", "total   3.00"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is not in\n%s", want, &b)
		}
	}
	if strings.Contains(b.String(), "fmt") {
		t.Errorf("a package that takes nothing is in\n%s", &b)
	}
}
