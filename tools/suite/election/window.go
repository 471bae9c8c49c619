package election

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/specdrivers/onion/generated/description"
	"github.com/specdrivers/onion/generated/options"
)

// WindowTest chooses among servers that are equally near.
type WindowTest struct {
	t        *testing.T
	topology *description.Topology
	inFlight map[string]int64
	chosen   map[string]int
	runs     int
}

// seed makes the random choices of every run the same.
const seed = 20

// Window starts with a mocked topology.
func Window(t *testing.T, topology *description.Topology) *WindowTest {
	return &WindowTest{t: t, topology: topology, inFlight: map[string]int64{}, chosen: map[string]int{}}
}

// InFlight sets how many operations a server has under way.
func (w *WindowTest) InFlight(address string, operations int) {
	w.inFlight[address] = int64(operations)
}

// Run chooses a server for a read from the nearest, many times.
func (w *WindowTest) Run(times int) {
	w.t.Helper()
	s := Read(w.t, w.topology, &options.ReadPreference{Mode: options.Nearest})
	random := rand.New(rand.NewPCG(seed, seed))
	load := func(address string) int64 { return w.inFlight[address] }
	for range times {
		server, err := s.selector.Select(s.topology, load, random.IntN)
		if err != nil || server == nil {
			w.t.Fatalf("%v is chosen (%v), want a server", server, err)
		}
		w.chosen[server.Address]++
	}
	w.runs = times
}

// Share checks how often a server was chosen. Never and always are exact.
func (w *WindowTest) Share(address string, want, tolerance float64) {
	w.t.Helper()
	got := float64(w.chosen[address]) / float64(w.runs)
	if want == 0 || want == 1 {
		tolerance = 0
	}
	if math.Abs(got-want) > tolerance {
		w.t.Errorf("%s is chosen with a frequency of %.3f, want %.3f within %.3f", address, got, want, tolerance)
	}
}
