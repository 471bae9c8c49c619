package mongo

import (
	"context"

	"github.com/specdrivers/onion/runtime/internal/topology"
)

// SetJitter replaces the random factor in the pauses before retries.
func SetJitter(c *Client, random func() float64) { c.exec.Random = random }

// IdleConnections returns the connections that no operation of the client uses.
func IdleConnections(ctx context.Context, c *Client) ([]*topology.Pooled, error) {
	var idle []*topology.Pooled
	for _, server := range c.topology.Servers() {
		var taken []*topology.Pooled
		for range server.PoolStats().Available {
			pooled, err := server.CheckOut(ctx)
			if err != nil {
				return nil, err
			}
			taken = append(taken, pooled)
		}
		for _, pooled := range taken {
			server.CheckIn(pooled)
		}
		idle = append(idle, taken...)
	}
	return idle, nil
}

// SetStored pretends that an upload has stored n bytes.
func SetStored(s *GridFSUploadStream, n int64) { s.stored, s.chunks.Before = n, n }
