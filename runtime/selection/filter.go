package selection

import (
	"time"

	"github.com/specdrivers/onion/generated/description"
	"github.com/specdrivers/onion/generated/options"
)

// filterStale keeps the servers whose staleness is within the limit. It reuses the slice.
//
// Server Selection, "maxStalenessSeconds".
func filterStale(
	servers []*description.Server, t *description.Topology, limit *time.Duration, heartbeat time.Duration,
) []*description.Server {
	if limit == nil || *limit <= 0 {
		return servers
	}
	staleness := stalenessFrom(t)
	kept := servers[:0]
	for _, s := range servers {
		if s.Type != description.RSSecondary || staleness(s)+heartbeat <= *limit {
			kept = append(kept, s)
		}
	}
	return kept
}

// stalenessFrom returns a function that estimates how far a secondary lags behind the primary. If no primary is known,
// it compares with the freshest secondary.
func stalenessFrom(t *description.Topology) func(*description.Server) time.Duration {
	var freshest time.Time
	for i := range t.Servers {
		p := &t.Servers[i]
		if p.Type == description.RSPrimary {
			lag := p.LastUpdateTime.Sub(p.LastWriteDate)
			return func(s *description.Server) time.Duration { return s.LastUpdateTime.Sub(s.LastWriteDate) - lag }
		}
		if p.Type == description.RSSecondary && p.LastWriteDate.After(freshest) {
			freshest = p.LastWriteDate
		}
	}
	return func(s *description.Server) time.Duration { return freshest.Sub(s.LastWriteDate) }
}

// filterTags keeps the servers that match the first tag set that any server matches. It reuses the slice.
//
// Server Selection, "tag_sets".
func filterTags(servers []*description.Server, sets []options.TagSet) []*description.Server {
	if len(sets) == 0 {
		return servers
	}
	for _, set := range sets {
		n := 0
		for _, s := range servers {
			if matches(s, set) {
				n++
			}
		}
		if n == 0 {
			continue
		}
		kept := servers[:0]
		for _, s := range servers {
			if matches(s, set) {
				kept = append(kept, s)
			}
		}
		return kept
	}
	return servers[:0]
}

// matches reports whether the server has every tag of the set.
func matches(s *description.Server, set options.TagSet) bool {
	for i := range set {
		if value, ok := s.Tags[set[i].Name]; !ok || value != set[i].Value {
			return false
		}
	}
	return true
}
