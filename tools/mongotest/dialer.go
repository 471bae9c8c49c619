package mongotest

import (
	"context"
	"net"
)

// Dialer connects to the nodes of a deployment. It fits the Dialer field of a client's options.
type Dialer struct{ d *Deployment }

// Dialer returns the dialer that clients of a deployment with [InMemory] need. For any other deployment it opens sockets.
func (d *Deployment) Dialer() *Dialer { return &Dialer{d} }

// DialContext connects to an address. With [InMemory] only the deployment's own addresses exist.
func (d *Dialer) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	if memory := d.d.config.network; memory != nil {
		return memory.Dial(ctx, address)
	}
	var sockets net.Dialer
	return sockets.DialContext(ctx, network, address)
}
