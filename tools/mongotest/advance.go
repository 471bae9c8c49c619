package mongotest

import "time"

// Advance moves the deployment's clock forward and does at once what the passing of time would do. It expires documents
// of TTL indexes, ends sessions and transactions that are too old, and closes idle cursors. The clocks of clients and
// of the network do not move.
func (d *Deployment) Advance(by time.Duration) {
	d.config.ahead.Add(int64(max(by, 0)))
	d.cluster.Expire()
}
