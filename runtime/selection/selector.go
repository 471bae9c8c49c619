package selection

import (
	"slices"
	"time"

	"github.com/specdrivers/onion/generated/description"
	"github.com/specdrivers/onion/generated/options"

	"github.com/specdrivers/onion/generated/core/selecttable"
)

// Selector says what kind of server an operation needs. The zero Selector is for a read from the primary with a latency
// window of zero. Callers set LocalThreshold and HeartbeatFrequency from the client's options.
type Selector struct {
	// Write selects a server for a write. The read preference is then ignored.
	Write bool

	// ReadPreference selects a server for a read. nil means primary.
	ReadPreference *options.ReadPreference

	// Deprioritized holds the addresses of servers that are suitable only if no other server is.
	Deprioritized []string

	// Custom narrows the suitable servers further. nil keeps them all.
	Custom options.ServerSelector

	// LocalThreshold is the size of the latency window.
	LocalThreshold time.Duration

	// HeartbeatFrequency is how often servers are checked. It limits how precisely staleness is known.
	HeartbeatFrequency time.Duration

	// reasons collects why a step excludes a server. It is set by Decide, which so explains the steps of Select, and
	// otherwise nil.
	reasons *reasons
}

// commonServers is how many suitable servers fit without an allocation.
const commonServers = 64

// Select returns the server for the operation, or nil when no server is suitable now. load returns how many operations
// a server is executing. random returns a number in [0, n).
//
// Server Selection, "Server Selection Algorithm", steps 2 to 7.
func (s *Selector) Select(
	t *description.Topology, load func(address string) int64, random func(n int) int,
) (*description.Server, error) {
	if err := s.Validate(t); err != nil {
		return nil, err
	}
	var buffer [commonServers]*description.Server
	servers := Window(s.AppendSuitable(t, buffer[:0]), s.LocalThreshold)
	return Choose(servers, load, random), nil
}

// AppendSuitable appends the servers that may serve the operation to dst.
//
// Server Selection, "Server Selection Algorithm", steps 3 and 4.
func (s *Selector) AppendSuitable(t *description.Topology, dst []*description.Server) []*description.Server {
	n := len(dst)
	if len(s.Deprioritized) > 0 {
		dst = s.match(t, dst, s.Deprioritized)
	}
	if len(dst) == n {
		s.reasons.clear() // only deprioritized servers are suitable, so they are used as if no try had failed
		dst = s.match(t, dst, nil)
	}
	if s.reasons != nil {
		s.reasons.explainUnmatched(t, s.candidates(t), s.ReadPreference, dst[n:])
	}
	if s.Custom != nil && len(dst) > n {
		chosen := s.Custom(t, slices.Clone(dst[n:])) // a copy, so dst stays on the caller's stack
		if s.reasons != nil {
			s.reasons.giveOthers(dst[n:], chosen, ByCustom, "the custom server selector refused it")
		}
		dst = append(dst[:n], chosen...)
	}
	return dst
}

// match appends the servers that suit the operation in this type of topology, except the excluded ones.
func (s *Selector) match(t *description.Topology, dst []*description.Server, excluded []string) []*description.Server {
	candidates := s.candidates(t)
	if candidates == selecttable.ByMode {
		return s.matchByMode(t, dst, excluded)
	}
	return appendKind(dst, t, candidates, excluded)
}

func (s *Selector) candidates(t *description.Topology) selecttable.Candidates {
	if s.Write {
		return selecttable.ForWrite(t.Type)
	}
	return selecttable.ForRead(t.Type)
}

// matchByMode tries the steps of the read preference mode until one has an eligible server.
func (s *Selector) matchByMode(t *description.Topology, dst []*description.Server, excluded []string) []*description.Server {
	var rp options.ReadPreference
	if s.ReadPreference != nil {
		rp = *s.ReadPreference
	}
	n := len(dst)
	for i, step := range selecttable.Steps(rp.Mode) {
		dst = appendCandidates(dst, t, step, excluded)
		if s.reasons != nil {
			s.reasons.noteDeprioritized(appendCandidates(nil, t, step, nil), dst[n:])
		}
		if step.Filtered {
			dst = dst[:n+len(s.filter(t, &rp, dst[n:]))]
		}
		if len(dst) > n {
			if s.reasons != nil {
				s.reasons.explainUnneeded(t, rp.Mode, i)
			}
			return dst
		}
	}
	return dst
}

// filter keeps the candidates of a step that are fresh enough and match the tag sets. It reuses the slice.
func (s *Selector) filter(t *description.Topology, rp *options.ReadPreference, servers []*description.Server) []*description.Server {
	if s.reasons == nil {
		return filterTags(filterStale(servers, t, rp.MaxStaleness, s.HeartbeatFrequency), rp.TagSets)
	}
	fresh := filterStale(slices.Clone(servers), t, rp.MaxStaleness, s.HeartbeatFrequency)
	s.reasons.explainStale(t, servers, fresh, rp, s.HeartbeatFrequency)
	tagged := filterTags(slices.Clone(fresh), rp.TagSets)
	s.reasons.giveOthers(fresh, tagged, ByTags, "its tags do not match the first tag set that any server matches")
	return append(servers[:0], tagged...)
}
