package mongotest

import (
	"context"
	"fmt"
	"net"
	"strconv"
	"strings"

	"github.com/specdrivers/onion/tools/mongotest/internal/server"
)

// Resolver is a fake DNS that has the SRV and TXT records of a deployment under one name. It is also a dialer: it
// connects to the deployment's nodes by the names in its SRV records.
type Resolver struct {
	d    *Deployment
	name string
}

// Resolver returns a fake DNS for name, which must have three parts or more. The nodes are called node0, node1 and so
// on in the domain of the name. Set it as both the Resolver and the Dialer in a client's options.
func (d *Deployment) Resolver(name string) *Resolver {
	return &Resolver{d: d, name: strings.ToLower(strings.TrimSuffix(name, "."))}
}

// URI returns the connection string that makes a client query the fake DNS.
func (r *Resolver) URI() string {
	rest := strings.TrimPrefix(r.d.URI(), "mongodb://")
	credentials := ""
	if at := strings.LastIndexByte(rest, '@'); at >= 0 {
		credentials = rest[:at+1]
	}
	uri := fmt.Sprintf("mongodb+srv://%s%s/?tls=%t", credentials, r.name, r.d.config.TLS != nil)
	// The TXT record holds the options that drivers accept from there.
	if option := r.d.heartbeatOption(); option != "" {
		uri += "&" + option
	}
	return uri
}

// LookupSRV returns the nodes of the deployment, or its load balancer, as net.Resolver does.
func (r *Resolver) LookupSRV(_ context.Context, service, proto, name string) (string, []*net.SRV, error) {
	full := name
	if service != "" || proto != "" {
		full = "_" + service + "._" + proto + "." + name
	}
	if !strings.EqualFold(strings.TrimSuffix(full, "."), "_mongodb._tcp."+r.name) {
		return "", nil, errNoSuchName(full)
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
		found = append(found, &net.SRV{Target: r.targetName(i) + ".", Port: uint16(number)})
	}
	return full + ".", found, nil
}

// LookupTXT returns the options that the deployment's clients need.
func (r *Resolver) LookupTXT(_ context.Context, name string) ([]string, error) {
	if strings.EqualFold(strings.TrimSuffix(name, "."), r.name) {
		switch r.d.config.Shape {
		case server.ReplicaSet:
			return []string{"replicaSet=" + r.d.config.SetName}, nil
		case server.LoadBalanced:
			return []string{"loadBalanced=true"}, nil
		}
	}
	return nil, errNoSuchName(name)
}

// DialContext connects to a node by its name in the fake DNS, or to any other address.
func (r *Resolver) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	if host, _, err := net.SplitHostPort(address); err == nil {
		for i, own := range r.d.Hosts() {
			if strings.EqualFold(host, r.targetName(i)) {
				address = own
			}
		}
	}
	return r.d.Dialer().DialContext(ctx, network, address)
}

// targetName returns the name of a node. It is in the same domain as the name of the records, as drivers require.
func (r *Resolver) targetName(i int) string {
	_, domain, _ := strings.Cut(r.name, ".")
	return fmt.Sprintf("node%d.%s", i, domain)
}

func errNoSuchName(name string) error {
	return &net.DNSError{Err: "no such host", Name: name, IsNotFound: true}
}
