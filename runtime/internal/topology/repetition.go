package topology

import (
	"time"

	"github.com/specdrivers/onion/generated/description"

	selecttable "github.com/specdrivers/onion/generated/core/selection"
)

// repetition notices a server that answers an awaitable hello early although nothing has changed. Such a server would be asked
// thousands of times a second (departures.yaml, repeated-hellos).
type repetition struct {
	seen  *description.TopologyVersion // the newest of the server's process
	early bool                         // the last reply brought nothing new
	took  time.Duration
}

// note records a reply. awaited says that the server could have held it back, elapsed for how long it did.
func (r *repetition) note(awaited bool, version *description.TopologyVersion, elapsed time.Duration) {
	changed := version != nil && (r.seen == nil || r.seen.ProcessID != version.ProcessID || r.seen.Counter < version.Counter)
	if changed {
		r.seen = version
	}
	r.early, r.took = awaited && !changed, elapsed
}

// rest is how long to wait before the next reply is asked for or read: until minHeartbeatFrequencyMS has passed since the last one
// was, and not at all after a reply that brought something new.
func (r *repetition) rest() time.Duration {
	if !r.early {
		return 0
	}
	return max(0, selecttable.MinHeartbeatFrequency-r.took)
}
