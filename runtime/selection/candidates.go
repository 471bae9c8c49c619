package selection

import (
	"slices"

	"github.com/specdrivers/onion/generated/core/selecttable"
	"github.com/specdrivers/onion/generated/description"
)

// appendKind appends the servers of a kind that needs no steps.
func appendKind(dst []*description.Server, t *description.Topology, kind selecttable.Candidates, excluded []string) []*description.Server {
	switch kind {
	case selecttable.AnyServer:
		return appendAvailable(dst, t)
	case selecttable.PrimaryServer:
		return appendOfType(dst, t, description.RSPrimary, excluded)
	case selecttable.MongosServers:
		return appendOfType(dst, t, description.Mongos, excluded)
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

// appendAvailable appends the only server of a topology: none is preferred to it.
func appendAvailable(dst []*description.Server, t *description.Topology) []*description.Server {
	for i := range t.Servers {
		if s := &t.Servers[i]; s.Type.IsAvailable() {
			dst = append(dst, s)
		}
	}
	return dst
}
