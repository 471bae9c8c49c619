package selection

import (
	"time"

	"github.com/specdrivers/onion/generated/description"
)

// Window keeps the servers whose average round trip time is at most threshold longer than the shortest one. A server whose
// round trip time is unknown stays, and says nothing about the others. Window keeps the order and reuses the slice.
//
// Server Selection, "Filtering suitable servers based on the latency window" and "Calculation of Average Round Trip Times".
func Window(servers []*description.Server, threshold time.Duration) []*description.Server {
	if len(servers) < 2 {
		return servers
	}
	shortest := shortestRTT(servers)
	kept := servers[:0]
	for _, s := range servers {
		if s.RTT-shortest <= threshold {
			kept = append(kept, s)
		}
	}
	return kept
}

// shortestRTT is the shortest of the known round trip times, or 0 when none is known.
func shortestRTT(servers []*description.Server) time.Duration {
	var shortest time.Duration
	for _, s := range servers {
		if s.RTT > 0 && (shortest == 0 || s.RTT < shortest) {
			shortest = s.RTT
		}
	}
	return shortest
}

// Choose picks two servers at random and returns the one that executes fewer operations. It returns nil when there are
// no servers. random returns a number in [0, n).
//
// Server Selection, "Server Selection Algorithm", steps 6 and 7.
func Choose(servers []*description.Server, load func(address string) int64, random func(n int) int) *description.Server {
	switch len(servers) {
	case 0:
		return nil
	case 1:
		return servers[0]
	}
	first := random(len(servers))
	second := random(len(servers) - 1)
	if second >= first {
		second++ // so that the two differ
	}
	if load(servers[second].Address) < load(servers[first].Address) {
		return servers[second]
	}
	return servers[first]
}
