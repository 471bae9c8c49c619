package dns

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"time"

	"golang.org/x/net/dns/dnsmessage"
)

const (
	// lookupTimeout limits this package's look-up. After that, net.DefaultResolver does the look-up.
	lookupTimeout = 2 * time.Second

	// serverTimeout limits the time that one server may take to answer.
	serverTimeout = time.Second

	// configFile lists the servers on systems with a resolver library.
	configFile = "/etc/resolv.conf"
)

// Resolver looks up records for a client.
type Resolver struct {
	*net.Resolver

	// servers lists the addresses, with ports, of the servers to ask. It is called for each look-up, because the list
	// changes when a machine changes networks.
	servers func() []string
	dialer  net.Dialer
}

// System returns the machine's resolver.
func System() *Resolver {
	return &Resolver{Resolver: net.DefaultResolver, servers: func() []string { return readServers(configFile) }}
}

// LookupSRVWithTTL looks up SRV records and how long they are valid. 0 means that this is unknown.
func (r *Resolver) LookupSRVWithTTL(ctx context.Context, service, proto, name string) ([]*net.SRV, time.Duration, error) {
	full := name
	if service != "" || proto != "" {
		full = "_" + service + "._" + proto + "." + name
	}
	if records, ttl, err := r.ask(ctx, full); err == nil {
		return records, ttl, nil
	}
	_, records, err := r.LookupSRV(ctx, service, proto, name)
	return records, 0, err
}

// ask asks the servers one after another.
func (r *Resolver) ask(ctx context.Context, name string) ([]*net.SRV, time.Duration, error) {
	ctx, cancel := context.WithTimeout(ctx, lookupTimeout)
	defer cancel()
	parsed, err := dnsmessage.NewName(strings.TrimSuffix(name, ".") + ".")
	if err != nil {
		return nil, 0, fmt.Errorf("dns: the name %q: %w", name, err)
	}
	question := dnsmessage.Question{Name: parsed, Type: dnsmessage.TypeSRV, Class: dnsmessage.ClassINET}
	err = errors.New("dns: no server is known")
	for _, server := range r.servers() {
		var answer answer
		if answer, err = r.askServer(ctx, server, question); err == nil {
			return answer.records, answer.ttl, nil
		}
		if ctx.Err() != nil {
			break
		}
	}
	return nil, 0, err
}

// askServer asks over UDP. If the answer does not fit, it asks over TCP.
func (r *Resolver) askServer(ctx context.Context, server string, question dnsmessage.Question) (answer, error) {
	ctx, cancel := context.WithTimeout(ctx, serverTimeout)
	defer cancel()
	query, err := newQuery(question)
	if err != nil {
		return answer{}, err
	}
	a, err := r.exchange(ctx, "udp", server, query)
	if err == nil && a.truncated {
		a, err = r.exchange(ctx, "tcp", server, query)
	}
	if err != nil {
		return answer{}, fmt.Errorf("dns: asking %s: %w", server, err)
	}
	if len(a.records) == 0 {
		return answer{}, fmt.Errorf("dns: %s has no such records", server)
	}
	slices.SortStableFunc(a.records, func(x, y *net.SRV) int { return cmp.Compare(x.Priority, y.Priority) })
	return a, nil
}

func (r *Resolver) exchange(ctx context.Context, network, server string, query *query) (answer, error) {
	nc, err := r.dialer.DialContext(ctx, network, server)
	if err != nil {
		return answer{}, err
	}
	defer nc.Close()
	stop := context.AfterFunc(ctx, func() { nc.SetDeadline(time.Unix(1, 0)) })
	defer stop()
	a, err := query.send(nc, network == "tcp")
	if err != nil && ctx.Err() != nil {
		err = ctx.Err()
	}
	return a, err
}
