package mongotest

import (
	"errors"
	"fmt"
	"net"
	"sync"
)

// balancer is a load balancer: it accepts connections and gives each to the next node that runs.
type balancer struct {
	address  string
	listener net.Listener
	running  sync.WaitGroup
}

func newBalancer(d *Deployment, address string) (*balancer, error) {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("mongotest: the load balancer: %w", err)
	}
	b := &balancer{address: listener.Addr().String(), listener: listener}
	for _, n := range d.nodes {
		n.address = b.address
	}
	b.running.Add(1)
	go func() {
		defer b.running.Done()
		for next := 0; ; next++ {
			nc, err := listener.Accept()
			if errors.Is(err, net.ErrClosed) {
				return
			}
			if err != nil {
				continue
			}
			for range len(d.nodes) - 1 {
				if !d.nodes[next%len(d.nodes)].stopped() {
					break
				}
				next++
			}
			d.nodes[next%len(d.nodes)].admit(nc)
		}
	}()
	return b, nil
}

func (b *balancer) close() {
	b.listener.Close()
	b.running.Wait()
}
