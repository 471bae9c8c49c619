package simulate

import (
	"fmt"
	"sync"
	"testing"

	"github.com/specdrivers/onion/tools/simulate/internal/world"
)

// totals holds what all worlds of a run have shown.
type totals struct {
	mu       sync.Mutex
	worlds   int
	unjudged int
	effects  map[string]int
}

func (a *totals) add(result *world.Result) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.worlds++; a.effects == nil {
		a.effects = map[string]int{}
	}
	a.unjudged += result.Unjudged
	for name, times := range result.Effects {
		a.effects[name] += times
	}
}

// enough is how many worlds must show every effect. The rarest effect occurs in about one of five.
const enough = 150

// report prints how often each effect occurred. One that never occurs in many worlds shows that its fault or operation does
// nothing.
func (a *totals) report(t *testing.T) {
	if a.unjudged > 0 {
		fmt.Printf("%d registers were not judged: the search took too long\n", a.unjudged)
	}
	for _, name := range world.Effects() {
		if testing.Verbose() {
			fmt.Printf("%8d %s\n", a.effects[name], name)
		}
		if a.effects[name] == 0 && a.worlds >= enough && !*stop {
			t.Errorf("%q has not happened in %d worlds", name, a.worlds)
		}
	}
}
