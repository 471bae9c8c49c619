package selection

import (
	"slices"
	"time"

	"github.com/specdrivers/onion/generated/description"
	"github.com/specdrivers/onion/generated/options"

	selecttable "github.com/specdrivers/onion/generated/core/selection"
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
		chosen := s.Custom(t, slices.Clone(dst[n:])) // a copy, so that dst stays on the caller's stack
		dst = append(dst[:n], chosen...)
	}
	return dst
}

// match appends the servers that suit the operation in this type of topology, except the excluded ones.
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
	dst = slices.Grow(dst, len(t.Servers))[:n+len(t.Servers)] // avoids a capacity check for each server
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
