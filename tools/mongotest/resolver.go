package mongotest

import (
	"context"
	"fmt"
	"net"
	"strconv"
	"strings"

	"github.com/specdrivers/onion/tools/mongotest/internal/server"
)

// Resolver is a fake DNS in which one name has the SRV and TXT records of a deployment. It is also the dialer that finds
// the deployment's nodes under the names that its SRV records give them.
type Resolver struct {
	d    *Deployment
	name string
}

// Resolver makes a fake DNS for name, which must have three parts or more: the nodes are called node0, node1 and so on
// under the name's domain. Both the Resolver and the Dialer of a client's options must be this.
func (d *Deployment) Resolver(name string) *Resolver {
	return &Resolver{d: d, name: strings.ToLower(strings.TrimSuffix(name, "."))}
}

// URI is the connection string that makes a client ask the fake DNS.
func (r *Resolver) URI() string {
	rest := strings.TrimPrefix(r.d.URI(), "mongodb://")
	credentials := ""
	if at := strings.LastIndexByte(rest, '@'); at >= 0 {
		credentials = rest[:at+1]
	}
	// The TXT record holds the other options of the deployment's own string.
	return fmt.Sprintf("mongodb+srv://%s%s/?tls=%t", credentials, r.name, r.d.config.TLS != nil)
}

// LookupSRV finds the nodes of the deployment, or its load balancer, as net.Resolver does.
func (r *Resolver) LookupSRV(_ context.Context, service, proto, name string) (string, []*net.SRV, error) {
	full := name
	if service != "" || proto != "" {
		full = "_" + service + "._" + proto + "." + name
	}
	if !strings.EqualFold(strings.TrimSuffix(full, "."), "_mongodb._tcp."+r.name) {
		return "", nil, noSuchName(full)
	}
	var found []*net.SRV
	for i, address := range r.d.Hosts() {
		_, port, err := net.SplitHostPort(address)
		if err != nil {
			return "", nil, fmt.Errorf("mongotest: %w", err)
		}
		number, err := strconv.ParseUint(port, 10, 16)
		if err != nil {
			return "", nil, fmt.Errorf("mongotest: %w", err)
		}
		found = append(found, &net.SRV{Target: r.target(i) + ".", Port: uint16(number)})
	}
	return full + ".", found, nil
}

// LookupTXT finds the options that the deployment's clients need.
func (r *Resolver) LookupTXT(_ context.Context, name string) ([]string, error) {
	if strings.EqualFold(strings.TrimSuffix(name, "."), r.name) {
		switch r.d.config.Shape {
		case server.ReplicaSet:
			return []string{"replicaSet=" + r.d.config.SetName}, nil
		case server.LoadBalanced:
			return []string{"loadBalanced=true"}, nil
		}
	}
	return nil, noSuchName(name)
}

// DialContext connects to a node by the name that it has in the fake DNS, or to any other address.
func (r *Resolver) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	if host, _, err := net.SplitHostPort(address); err == nil {
		for i, own := range r.d.Hosts() {
			if strings.EqualFold(host, r.target(i)) {
				address = own
			}
		}
	}
	return r.d.Dialer().DialContext(ctx, network, address)
}

// target is the name of a node. It shares the domain of the name that the records belong to, as drivers demand.
func (r *Resolver) target(i int) string {
	_, domain, _ := strings.Cut(r.name, ".")
	return fmt.Sprintf("node%d.%s", i, domain)
}

func noSuchName(name string) error {
	return &net.DNSError{Err: "no such host", Name: name, IsNotFound: true}
}
