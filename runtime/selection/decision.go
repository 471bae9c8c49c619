package selection

import (
	"fmt"
	"slices"
	"time"

	"github.com/specdrivers/onion/generated/description"
	"github.com/specdrivers/onion/generated/options"

	selecttable "github.com/specdrivers/onion/generated/core/selection"
)

// Decision shows how server selection narrows the servers of a topology down to those that an operation may use.
type Decision struct {
	Wants     string // what the operation needs, in words
	Topology  description.TopologyType
	Err       error // why no server of the topology can ever be selected; nil when one can
	Threshold time.Duration
	Shortest  time.Duration // the shortest known round trip of the suitable servers: the start of the latency window
	Verdicts  []Verdict     // one for each server, in the order of the topology
}

// Verdict is what a decision says about one server.
type Verdict struct {
	Server *description.Server // in the topology; it must not be changed
	Out    Stage               // the stage that excluded the server; InWindow when it may be chosen
	Reason string              // why the server was excluded; empty for InWindow
}

// Stage is a step of server selection. The stages are in the order of the steps.
type Stage uint8

// The stages.
const (
	ByType          Stage = iota // the kinds of server that the topology and the mode allow
	ByStaleness                  // maxStalenessSeconds
	ByTags                       // tag sets
	ByDeprioritized              // servers that failed the operation, as long as there are others
	ByCustom                     // the custom server selector
	ByLatency                    // the latency window
	InWindow                     // it may be chosen: two are drawn at random, and the one with fewer operations is used
)

// String returns the name of the stage.
func (s Stage) String() string {
	names := [...]string{"type", "staleness", "tag sets", "deprioritized", "custom", "latency", "window"}
	if int(s) < len(names) {
		return names[s]
	}
	return fmt.Sprintf("Stage(%d)", uint8(s))
}

// Decide explains what Suitable and Window do with each server of the topology. The result is for people to read:
// Select does the same without the reasons.
func (s *Selector) Decide(t *description.Topology) Decision {
	d := Decision{Wants: s.String(), Topology: t.Type, Threshold: s.LocalThreshold, Err: s.Validate(t)}
	var suitable, window []*description.Server
	if d.Err == nil {
		suitable = s.Suitable(t, nil)
		window = Window(slices.Clone(suitable), s.LocalThreshold)
	}
	d.Shortest = shortestRTT(suitable)
	for i := range t.Servers {
		v := Verdict{Server: &t.Servers[i]}
		switch {
		case d.Err != nil:
			v.Out, v.Reason = ByType, d.Err.Error()
		case holds(window, v.Server):
			v.Out = InWindow
		case holds(suitable, v.Server):
			v.Out = ByLatency
			v.Reason = fmt.Sprintf("%v away: more than %v over the nearest, %v", v.Server.RTT, d.Threshold, d.Shortest)
		default:
			v.Out, v.Reason = s.unsuitable(t, v.Server)
		}
		d.Verdicts = append(d.Verdicts, v)
	}
	return d
}

// unsuitable says why Suitable excludes a server.
func (s *Selector) unsuitable(t *description.Topology, server *description.Server) (Stage, string) {
	excluded := s.Deprioritized
	if len(s.match(t, nil, excluded)) == 0 {
		excluded = nil // in that case Suitable includes them after all
	}
	wanted := selecttable.ForRead(t.Type)
	if s.Write {
		wanted = selecttable.ForWrite(t.Type)
	}
	ok, why := true, ""
	switch wanted {
	case selecttable.NoServer:
		ok, why = false, fmt.Sprintf("there is none for this operation in a topology of type %v", t.Type)
	case selecttable.AnyServer:
		ok, why = server.Type.IsAvailable(), notKnown
	case selecttable.PrimaryServer:
		ok, why = server.Type == description.RSPrimary, "not the primary"
	case selecttable.MongosServers:
		ok, why = server.Type == description.Mongos, "not a mongos"
	case selecttable.ByMode:
		if stage, why := s.unsuitableByMode(t, server, excluded); why != "" {
			return stage, why
		}
	}
	switch {
	case !ok:
		return ByType, why
	case slices.Contains(excluded, server.Address):
		return ByDeprioritized, "a try on it has failed, and there are others"
	}
	return ByCustom, "the custom server selector refused it"
}

const notKnown = "not known to answer"

// unsuitableByMode says why the steps of the mode exclude a server. The reason is empty when they do not.
func (s *Selector) unsuitableByMode(t *description.Topology, server *description.Server, excluded []string) (Stage, string) {
	var rp options.ReadPreference
	if s.ReadPreference != nil {
		rp = *s.ReadPreference
	}
	before := "" // the kind of server that an earlier step has found
	for _, step := range selecttable.Steps(rp.Mode) {
		fresh, tagged := s.eligible(t, &rp, step, nil)
		switch {
		case !holds(appendCandidates(nil, t, step, nil), server):
			if _, found := s.eligible(t, &rp, step, excluded); len(found) > 0 {
				before = kind(step)
			}
			continue
		case before != "":
			return ByType, "only used when there is no suitable " + before
		case !holds(fresh, server):
			behind := stalenessFrom(t)(server) + s.HeartbeatFrequency
			return ByStaleness, fmt.Sprintf("up to %v behind, more than %v", behind.Round(time.Millisecond), *rp.MaxStaleness)
		case !holds(tagged, server):
			return ByTags, "its tags do not match the first tag set that any server matches"
		}
		return ByType, ""
	}
	if !server.Type.IsAvailable() {
		return ByType, notKnown
	}
	return ByType, fmt.Sprintf("%v does not serve mode %v", server.Type, max(rp.Mode, options.Primary))
}

// eligible returns the candidates of a step that are fresh enough, and the ones among them that also match the tag
// sets.
func (s *Selector) eligible(
	t *description.Topology, rp *options.ReadPreference, step selecttable.Step, excluded []string,
) (fresh, tagged []*description.Server) {
	fresh = appendCandidates(nil, t, step, excluded)
	if !step.Filtered {
		return fresh, fresh
	}
	fresh = filterStale(fresh, t, rp.MaxStaleness, s.HeartbeatFrequency)
	return fresh, filterTags(slices.Clone(fresh), rp.TagSets)
}

func kind(step selecttable.Step) string {
	if step.Primary {
		return options.Primary.String()
	}
	return options.Secondary.String()
}

func holds(servers []*description.Server, server *description.Server) bool {
	return slices.Contains(servers, server)
}
