package topology

import (
	"github.com/specdrivers/onion/generated/description"
	"github.com/specdrivers/onion/runtime/selection"
)

// Decide explains which servers of d a request could use with the settings of the topology. A nil d means the current
// description.
func (t *Topology) Decide(r *Request, d *description.Topology) selection.Decision {
	if d == nil {
		d = t.Description()
	}
	selector := t.selector(r)
	return selector.Decide(d)
}
