package mongotest

import (
	"cmp"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"

	"github.com/specdrivers/onion/tools/mongotest/internal/server"
)

// URIOf returns a connection string that reaches only the given nodes, counted from 0. Tests of sharded clusters often
// need a single router. For [LoadBalanced] it starts another load balancer in front of the nodes, and reuses it for the
// same nodes.
func (d *Deployment) URIOf(nodes ...int) (string, error) {
	if len(nodes) == 0 {
		return "", fmt.Errorf("mongotest: a connection string names at least one node")
	}
	var hosts []string
	var behind []*server.Node
	for _, i := range nodes {
		n := d.node(i)
		behind, hosts = append(behind, n), append(hosts, n.Address())
	}
	if d.balancer == nil {
		return d.uri(hosts), nil
	}
	address, err := d.partial.start(d, behind)
	return d.uri([]string{address}), err
}

// balancers holds the load balancers that serve only some nodes of a deployment.
type balancers struct {
	mu     sync.Mutex
	byList map[string]*server.Balancer // by the numbers of their nodes
	closed bool
}

// start returns the address of the load balancer in front of the nodes.
func (b *balancers) start(d *Deployment, nodes []*server.Node) (string, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return "", fmt.Errorf("mongotest: the deployment is closed")
	}
	var names []string
	for _, n := range nodes {
		names = append(names, fmt.Sprint(n.Index))
	}
	slices.Sort(names)
	list := strings.Join(names, "-")
	if have := b.byList[list]; have != nil {
		return have.Address, nil
	}
	address := net.JoinHostPort(cmp.Or(d.config.host, "127.0.0.1"), "0")
	if d.config.network != nil {
		address = "balancer" + list + ".mongotest.invalid:27017"
	}
	started, err := server.NewBalancer(d.cluster, nodes, address)
	if err != nil {
		return "", err
	}
	if b.byList == nil {
		b.byList = map[string]*server.Balancer{}
	}
	b.byList[list] = started
	return started.Address, nil
}

func (b *balancers) close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
	for _, one := range b.byList {
		one.Close()
	}
}
