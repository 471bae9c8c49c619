package mongotest

import (
	"sync"
	"time"

	"github.com/specdrivers/onion/bson"
)

// data is what the nodes of a deployment hold in common: the documents and the logical clock.
type data struct {
	now func() time.Time

	mu    sync.Mutex
	clock bson.Timestamp
}

func newData(c *config) *data { return &data{now: c.now} }

func (d *data) close() {}

// clusterTime is the logical time of the deployment. It never goes back.
func (d *data) clusterTime() bson.Timestamp {
	d.mu.Lock()
	defer d.mu.Unlock()
	if t := uint32(d.now().Unix()); t > d.clock.T {
		d.clock = bson.Timestamp{T: t, I: 1}
	}
	return d.clock
}

// rollBack drops the writes that no majority has acknowledged.
func (d *data) rollBack() {}

// dataCommands are the commands over documents.
func dataCommands() []command { return nil }
