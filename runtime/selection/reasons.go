package selection

import (
	"fmt"
	"slices"
	"time"

	"github.com/specdrivers/onion/generated/core/selecttable"
	"github.com/specdrivers/onion/generated/description"
	"github.com/specdrivers/onion/generated/options"
)

// reasons collects why steps exclude servers. Select collects none: it costs one comparison for each step.
type reasons struct {
	of map[*description.Server]Verdict
}

func (r *reasons) say(server *description.Server, stage Stage, why string) {
	r.of[server] = Verdict{Out: stage, Reason: why}
}

// giveOthers gives a reason to each server in a list that is not kept and has no reason yet.
func (r *reasons) giveOthers(list, kept []*description.Server, stage Stage, why string) {
	for _, server := range list {
		if _, said := r.of[server]; !said && !slices.Contains(kept, server) {
			r.say(server, stage, why)
		}
	}
}

const notKnown = "not known to answer"

// clear removes all reasons.
func (r *reasons) clear() {
	if r != nil {
		clear(r.of)
	}
}

// noteDeprioritized gives the reason to candidates that are not kept because a try on them has failed.
func (r *reasons) noteDeprioritized(candidates, kept []*description.Server) {
	r.giveOthers(candidates, kept, ByDeprioritized, "a try on it has failed, and there are others")
}

// explainUnmatched gives reasons to servers of a kind that the topology and the mode do not want.
func (r *reasons) explainUnmatched(
	t *description.Topology, wanted selecttable.Candidates, rp *options.ReadPreference, kept []*description.Server,
) {
	why := fmt.Sprintf("there is none for this operation in a topology of type %v", t.Type)
	switch wanted {
	case selecttable.AnyServer:
		why = notKnown
	case selecttable.PrimaryServer:
		why = "not the primary"
	case selecttable.MongosServers:
		why = "not a mongos"
	case selecttable.ByMode:
		r.explainUnserved(t, rp, kept)
		return
	}
	r.noteDeprioritized(appendKind(nil, t, wanted, nil), kept)
	r.giveOthers(allServers(t), kept, ByType, why)
}

// explainUnserved gives reasons to servers that no step of the mode takes.
func (r *reasons) explainUnserved(t *description.Topology, rp *options.ReadPreference, kept []*description.Server) {
	mode := options.Primary
	if rp != nil {
		mode = max(rp.Mode, mode)
	}
	for _, server := range allServers(t) {
		why := notKnown
		if server.Type.IsAvailable() {
			why = fmt.Sprintf("%v does not serve mode %v", server.Type, mode)
		}
		r.giveOthers([]*description.Server{server}, kept, ByType, why)
	}
}

// explainUnneeded gives reasons to servers of later steps, because an earlier step has found others.
func (r *reasons) explainUnneeded(t *description.Topology, mode options.ReadPreferenceMode, found int) {
	steps := selecttable.Steps(mode)
	for _, later := range steps[found+1:] {
		r.giveOthers(appendCandidates(nil, t, later, nil), nil, ByType, "only used when there is no suitable "+kind(steps[found]))
	}
}

// explainStale gives reasons to candidates that are too far behind.
func (r *reasons) explainStale(
	t *description.Topology, candidates, fresh []*description.Server, rp *options.ReadPreference, heartbeat time.Duration,
) {
	staleness := stalenessFrom(t)
	for _, server := range candidates {
		if !slices.Contains(fresh, server) {
			behind := (staleness(server) + heartbeat).Round(time.Millisecond)
			r.say(server, ByStaleness, fmt.Sprintf("up to %v behind, more than %v", behind, *rp.MaxStaleness))
		}
	}
}

// explainFar gives reasons to suitable servers outside of the latency window.
func (r *reasons) explainFar(suitable, window []*description.Server, d *Decision) {
	for _, server := range suitable {
		if !slices.Contains(window, server) {
			r.say(server, ByLatency, fmt.Sprintf("%v away: more than %v over the nearest, %v", server.RTT, d.Threshold, d.Shortest))
		}
	}
}

func kind(step selecttable.Step) string {
	if step.Primary {
		return options.Primary.String()
	}
	return options.Secondary.String()
}

// allServers lists the servers of a topology.
func allServers(t *description.Topology) []*description.Server {
	list := make([]*description.Server, len(t.Servers))
	for i := range t.Servers {
		list[i] = &t.Servers[i]
	}
	return list
}
