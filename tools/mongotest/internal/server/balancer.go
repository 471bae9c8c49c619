package server

import (
	"errors"
	"fmt"
	"net"
	"sync"
)

// Balancer is a load balancer: it accepts connections and gives each one to the next node that runs.
type Balancer struct {
	Address  string
	listener net.Listener
	running  sync.WaitGroup
}

// NewBalancer starts a load balancer in front of nodes. They take its address unless they have one.
func NewBalancer(k *Cluster, nodes []*Node, address string) (*Balancer, error) {
	listener, err := k.Listen(address)
	if err != nil {
		return nil, fmt.Errorf("mongotest: the load balancer: %w", err)
	}
	b := &Balancer{Address: listener.Addr().String(), listener: listener}
	for _, n := range nodes {
		n.SetAddress(b.Address)
	}
	b.running.Go(func() {
		for next := 0; ; next++ {
			nc, err := listener.Accept()
			if errors.Is(err, net.ErrClosed) {
				return
			}
			if err != nil {
				continue
			}
			for range len(nodes) - 1 {
				if !nodes[next%len(nodes)].Stopped() {
					break
				}
				next++
			}
			nodes[next%len(nodes)].Admit(nc)
		}
	})
	return b, nil
}

// Close stops accepting connections and waits for the accept loop to end.
func (b *Balancer) Close() {
	b.listener.Close()
	b.running.Wait()
}
