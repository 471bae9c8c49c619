package topology

import (
	"time"

	"github.com/specdrivers/onion/generated/description"

	"github.com/specdrivers/onion/generated/core/selecttable"
)

// repetition notices a server that answers an awaitable hello early although nothing has changed. Such a server would be asked
// thousands of times a second (departures.yaml, repeated-hellos).
type repetition struct {
	seen  *description.TopologyVersion // the newest of the server's process
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

// noteBreak records that a connection on which the server had answered was lost after living that long. The first one that does
// not live for minHeartbeatFrequencyMS is replaced at once; those that follow it are a repetition, too.
func (r *repetition) noteBreak(lived time.Duration) {
	r.early, r.took = r.lost, lived
	r.lost = lived < selecttable.MinHeartbeatFrequency
}

// rest is how long to wait before the next reply is asked for or read, or the next connection opened: until
// minHeartbeatFrequencyMS has passed since the last one was, and not at all after a reply that brought something new.
func (r *repetition) rest() time.Duration {
	if !r.early {
		return 0
	}
	return max(0, selecttable.MinHeartbeatFrequency-r.took)
}
