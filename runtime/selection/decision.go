package selection

import (
	"slices"

	"github.com/specdrivers/onion/generated/description"
)

// Decide takes the steps of Select, except for the random choice, and returns what became of each server. The result is
// for people to read.
func (s *Selector) Decide(t *description.Topology) Decision {
	d := Decision{Wants: s.String(), Topology: t.Type, Threshold: s.LocalThreshold, Err: s.Validate(t)}
	asked := *s
	asked.reasons = &reasons{of: map[*description.Server]Verdict{}}
	if d.Err == nil {
		suitable := asked.AppendSuitable(t, nil)
		d.Shortest = shortestRTT(suitable)
		asked.reasons.explainFar(suitable, Window(slices.Clone(suitable), s.LocalThreshold), &d)
	}
	for _, server := range allServers(t) {
		v, left := asked.reasons.of[server]
		switch {
		case d.Err != nil:
			v = Verdict{Out: ByType, Reason: d.Err.Error()}
		case !left:
			v = Verdict{Out: InWindow}
		}
		v.Server = server
		d.Verdicts = append(d.Verdicts, v)
	}
	return d
}
