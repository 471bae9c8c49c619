package topology

import (
	"time"

	"github.com/specdrivers/onion/generated/description"

	"github.com/specdrivers/onion/generated/core/selecttable"
)

// repetition notices a server that answers an awaitable hello early although nothing has changed. Such a server would
// be asked thousands of times a second (departures.yaml, repeated-hellos).
type repetition struct {
	seen  *description.TopologyVersion // the newest topologyVersion of the server's process
	early bool                         // the last reply brought nothing new
	took  time.Duration
	lost  bool // the last connection broke as soon as this one did
}

// note records a reply. awaited says that the server could have held it back, elapsed for how long it did.
func (r *repetition) note(awaited bool, version *description.TopologyVersion, elapsed time.Duration) {
	changed := version != nil && (r.seen == nil || r.seen.ProcessID != version.ProcessID || r.seen.Counter < version.Counter)
	if changed {
		r.seen = version
	}
	r.early, r.took = awaited && !changed, elapsed
}

// noteBreak records that a connection on which the server had answered was lost, and how long it had lived. The first
// connection that lives for less than minHeartbeatFrequencyMS is replaced at once. If the next ones break as early,
// that is a repetition, too.
func (r *repetition) noteBreak(lived time.Duration) {
	r.early, r.took = r.lost, lived
	r.lost = lived < selecttable.MinHeartbeatFrequency
}

// waitTime returns how long to wait before the next request, read or connection: until minHeartbeatFrequencyMS has
// passed since the last one. After a reply that brought something new it is 0.
func (r *repetition) waitTime() time.Duration {
	if !r.early {
		return 0
	}
	return max(0, selecttable.MinHeartbeatFrequency-r.took)
}
