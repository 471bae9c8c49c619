package uri

import (
	"context"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/specdrivers/onion/runtime/fault"
	"github.com/specdrivers/onion/runtime/internal/callback"
)

// RescanHosts looks up the SRV records of a name again, like LookupHosts. It does not fail because of a host outside
// the domain, or with the port 0. Instead it leaves that host out and returns it in refused.
//
// Polling SRV Records, "Implementation".
func RescanHosts(ctx context.Context, resolver Resolver, name, service string) (
	hosts, refused []string, ttl time.Duration, err error,
) {
	records, ttl, err := lookupRecords(ctx, resolver, name, service)
	if err != nil {
		return nil, nil, 0, err
	}
	seen := map[string]bool{}
	for _, record := range records {
		target := strings.ToLower(strings.TrimSuffix(record.Target, "."))
		host := net.JoinHostPort(target, strconv.Itoa(int(record.Port)))
		switch {
		case seen[host]:
		case checkTarget(name, target, record.Port) != nil:
			refused = append(refused, host)
		default:
			hosts = append(hosts, host)
		}
		seen[host] = true
	}
	return hosts, refused, ttl, nil
}

// resolverName is what errors call the program's Resolver.
const resolverName = "Resolver"

// lookupRecords asks the resolver for the records, and for their time to live if the resolver knows it.
func lookupRecords(ctx context.Context, resolver Resolver, name, service string) ([]*net.SRV, time.Duration, error) {
	type answer struct {
		records []*net.SRV
		ttl     time.Duration
	}
	got, err := callback.Call(ctx, resolverName, func(ctx context.Context) (a answer, err error) {
		if r, ok := resolver.(TTLResolver); ok {
			a.records, a.ttl, err = r.LookupSRVWithTTL(ctx, service, "tcp", name)
			return a, err
		}
		_, a.records, err = resolver.LookupSRV(ctx, service, "tcp", name)
		return a, err
	}, nil)
	if err == nil && slices.Contains(got.records, nil) {
		err = fault.CallbackError{Callback: resolverName, Problem: "returned a nil record"}
	}
	return got.records, got.ttl, err
}
