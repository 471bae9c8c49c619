package sdam

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/specdrivers/onion/generated/description"
)

// Format writes a topology description for people to read: one line for the topology and one for each server.
func Format(t *description.Topology) string {
	var b strings.Builder
	b.WriteString(t.Type.String())
	if t.SetName != "" {
		fmt.Fprintf(&b, " %s", t.SetName)
	}
	switch len(t.Servers) {
	case 0:
		b.WriteString(", no servers")
	case 1:
		b.WriteString(", 1 server")
	default:
		fmt.Fprintf(&b, ", %d servers", len(t.Servers))
	}
	if !t.Compatible && t.CompatibilityError != "" {
		fmt.Fprintf(&b, ", incompatible: %s", t.CompatibilityError)
	}
	for i := range t.Servers {
		b.WriteString("\n  ")
		formatServer(&b, &t.Servers[i])
	}
	return b.String()
}

// formatServer writes a server on one line.
func formatServer(b *strings.Builder, s *description.Server) {
	fmt.Fprintf(b, "%s %s", s.Address, s.Type)
	if s.Type != description.ServerUnknown && s.RTT > 0 {
		fmt.Fprintf(b, ", round trip %v", s.RTT.Round(10*time.Microsecond))
	}
	if s.MaxWireVersion > 0 {
		fmt.Fprintf(b, ", wire version %d", s.MaxWireVersion)
	}
	if s.SetVersion != nil {
		fmt.Fprintf(b, ", set version %d", *s.SetVersion)
	}
	for i, tag := range sortedTags(s.Tags) {
		if i == 0 {
			b.WriteString(", tags ")
		} else {
			b.WriteString(" ")
		}
		b.WriteString(tag)
	}
	if s.Err != nil {
		fmt.Fprintf(b, ", %v", s.Err)
	}
}

func sortedTags(tags map[string]string) []string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(tags)) {
		out = append(out, name+"="+tags[name])
	}
	return out
}
