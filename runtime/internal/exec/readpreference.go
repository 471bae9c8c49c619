package exec

import (
	"github.com/specdrivers/onion/generated/core/command"
	"github.com/specdrivers/onion/generated/core/selecttable"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/description"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/concern"
)

// appendReadPreference writes $readPreference, as the table says for the kind of server.
func (e *execution) appendReadPreference(dst []byte) []byte {
	if e.meta.Access != command.Read && !e.meta.ReadPreference {
		return dst
	}
	if e.meta.Access == command.Write && !wire.OutOnSecondary.In(e.try.limits.MaxWireVersion) {
		return dst // only a primary runs it; behind a load balancer only the connection tells the server's type
	}
	given := e.try.readPreference
	topologyType := e.x.Topology.Description().Type
	mode, send := selecttable.PassReadPreference(topologyType, e.try.serverType, readPreferenceMode(given))
	if !send {
		return dst
	}
	if given == nil || given.Mode != mode {
		changed := options.ReadPreference{Mode: mode}
		if given != nil && given.Mode != 0 {
			changed = *given
			changed.Mode = mode
		}
		given = &changed
	}
	return concern.AppendPreference(dst, wire.FieldReadPreference, given)
}

// writesOnPrimaryOnly reports whether an available server is too old to write the result of an aggregation as a
// secondary. The read preference then does not count. CRUD, "Read Preferences and Server Selection" of $out and $merge.
func writesOnPrimaryOnly(d *description.Topology) bool {
	if d.Type == description.LoadBalanced {
		return false
	}
	for i := range d.Servers {
		switch s := &d.Servers[i]; s.Type {
		case description.Standalone, description.Mongos, description.RSPrimary, description.RSSecondary:
			if !wire.OutOnSecondary.In(s.MaxWireVersion) {
				return true
			}
		}
	}
	return false
}

// readPreferenceMode returns the mode that applies, which is primary if none is set.
func readPreferenceMode(rp *options.ReadPreference) options.ReadPreferenceMode {
	if rp == nil || rp.Mode == 0 {
		return options.Primary
	}
	return rp.Mode
}
