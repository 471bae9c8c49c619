package simulate

import (
	"fmt"
	"sync"
	"testing"

	"github.com/specdrivers/onion/tools/simulate/internal/world"
)

// totals is what all worlds of a run have shown.
type totals struct {
	mu      sync.Mutex
	worlds  int
	effects map[string]int
}

func (a *totals) add(effects map[string]int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.worlds++; a.effects == nil {
		a.effects = map[string]int{}
	}
	for name, times := range effects {
		a.effects[name] += times
	}
}

// enough is how many worlds show every effect: the rarest one comes about once in five of them.
const enough = 150

// report prints how often everything happened. What has not happened in many worlds is a fault, or an operation, that the
// simulation only believes to have.
func (a *totals) report(t *testing.T) {
	for _, name := range world.Effects() {
		if testing.Verbose() {
			fmt.Printf("%8d %s\n", a.effects[name], name)
		}
		if a.effects[name] == 0 && a.worlds >= enough && !*stop {
			t.Errorf("%q has not happened in %d worlds", name, a.worlds)
		}
	}
}
