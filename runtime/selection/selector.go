package selection

import (
	"slices"
	"time"

	"github.com/specdrivers/onion/generated/description"
	"github.com/specdrivers/onion/generated/options"

	selecttable "github.com/specdrivers/onion/generated/core/selection"
)

// Selector says what an operation needs of a server. The zero Selector is a read from the primary with a latency window
// of zero; callers set LocalThreshold and HeartbeatFrequency from the options of the client.
type Selector struct {
	// Write selects for a write; the read preference is then not looked at.
	Write bool

	// ReadPreference selects for a read; nil means primary.
	ReadPreference *options.ReadPreference

	// Deprioritized are addresses that are suitable only if no other server is.
	Deprioritized []string

	// Custom narrows the suitable servers further; nil keeps them all.
	Custom options.ServerSelector

	// LocalThreshold is the size of the latency window.
	LocalThreshold time.Duration

	// HeartbeatFrequency is how often servers are checked; it bounds what is known about staleness.
	HeartbeatFrequency time.Duration
}

// commonServers is how many suitable servers are held without allocating.
const commonServers = 64

// Select returns the server for the operation, and nil when there is none now. load tells how many operations a server
// executes; random returns a number in [0, n).
//
// Server Selection, "Server Selection Algorithm", steps 2 to 7.
func (s *Selector) Select(
	t *description.Topology, load func(address string) int64, random func(n int) int,
) (*description.Server, error) {
	if err := s.Validate(t); err != nil {
		return nil, err
	}
	var buffer [commonServers]*description.Server
	servers := Window(s.Suitable(t, buffer[:0]), s.LocalThreshold)
	return Choose(servers, load, random), nil
}

// Suitable appends the servers that may serve the operation to dst.
//
// Server Selection, "Server Selection Algorithm", steps 3 and 4.
func (s *Selector) Suitable(t *description.Topology, dst []*description.Server) []*description.Server {
	n := len(dst)
	if len(s.Deprioritized) > 0 {
		dst = s.match(t, dst, s.Deprioritized)
	}
	if len(dst) == n {
		dst = s.match(t, dst, nil)
	}
	if s.Custom != nil && len(dst) > n {
		chosen := s.Custom(t, slices.Clone(dst[n:])) // a copy: dst stays on the stack of the caller
		dst = append(dst[:n], chosen...)
	}
	return dst
}

// match appends the servers that are suitable by the type of the topology and the operation, without those excluded.
func (s *Selector) match(t *description.Topology, dst []*description.Server, excluded []string) []*description.Server {
	candidates := selecttable.ForRead(t.Type)
	if s.Write {
		candidates = selecttable.ForWrite(t.Type)
	}
	switch candidates {
	case selecttable.AnyServer:
		return appendAvailable(dst, t, excluded)
	case selecttable.PrimaryServer:
		return appendOfType(dst, t, description.RSPrimary, excluded)
	case selecttable.MongosServers:
		return appendOfType(dst, t, description.Mongos, excluded)
	case selecttable.ByMode:
		return s.matchByMode(t, dst, excluded)
	}
	return dst
}

// matchByMode tries the steps of the read preference mode until one has an eligible server.
func (s *Selector) matchByMode(t *description.Topology, dst []*description.Server, excluded []string) []*description.Server {
	var rp options.ReadPreference
	if s.ReadPreference != nil {
		rp = *s.ReadPreference
	}
	n := len(dst)
	for _, step := range selecttable.Steps(rp.Mode) {
		dst = appendCandidates(dst, t, step, excluded)
		if step.Filtered {
			eligible := filterStale(dst[n:], t, rp.MaxStaleness, s.HeartbeatFrequency)
			eligible = filterTags(eligible, rp.TagSets)
			dst = dst[:n+len(eligible)]
		}
		if len(dst) > n {
			return dst
		}
	}
	return dst
}

func appendCandidates(
	dst []*description.Server, t *description.Topology, step selecttable.Step, excluded []string,
) []*description.Server {
	first, second := description.RSPrimary, description.RSSecondary
	if !step.Primary {
		first = second
	}
	if !step.Secondary {
		second = first
	}
	n := len(dst)
	dst = slices.Grow(dst, len(t.Servers))[:n+len(t.Servers)] // without a check of the capacity for each server
	for i := range t.Servers {
		s := &t.Servers[i]
		if s.Type != first && s.Type != second || excluded != nil && slices.Contains(excluded, s.Address) {
			continue
		}
		dst[n] = s
		n++
	}
	return dst[:n]
}

func appendOfType(
	dst []*description.Server, t *description.Topology, typ description.ServerType, excluded []string,
) []*description.Server {
	for i := range t.Servers {
		s := &t.Servers[i]
		if s.Type == typ && (excluded == nil || !slices.Contains(excluded, s.Address)) {
			dst = append(dst, s)
		}
	}
	return dst
}

func appendAvailable(dst []*description.Server, t *description.Topology, excluded []string) []*description.Server {
	for i := range t.Servers {
		s := &t.Servers[i]
		if s.Type.IsAvailable() && (excluded == nil || !slices.Contains(excluded, s.Address)) {
			dst = append(dst, s)
		}
	}
	return dst
}
