package uri

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/fault"
	"github.com/specdrivers/onion/runtime/internal/callback"
	"github.com/specdrivers/onion/runtime/internal/option"
)

// defaultService is the SRV service name when srvServiceName is not set.
const defaultService = options.DefaultSRVServiceName

// Resolver looks up DNS records. *net.Resolver is one.
type Resolver = options.Resolver

// TTLResolver is a Resolver that also knows how long an answer is valid. The polling of SRV records uses that time.
type TTLResolver interface {
	Resolver
	LookupSRVWithTTL(ctx context.Context, service, proto, name string) (records []*net.SRV, ttl time.Duration, err error)
}

// Resolve replaces the name in a mongodb+srv string with the hosts in its SRV records. It adds the options of the TXT
// record, which the string's own options override. It turns TLS on and checks the result. It returns any other string
// unchanged. The context limits both look-ups.
func Resolve(ctx context.Context, cs *ConnString, resolver Resolver) (*ConnString, error) {
	if !cs.SRV || cs.resolved {
		return cs, nil
	}
	out := *cs
	out.resolved = true
	name := cs.Hosts[0]
	hosts, _, err := LookupHosts(ctx, resolver, name, cs.service())
	if err != nil {
		return nil, err
	}
	fromTXT, warnings, err := lookupTXT(ctx, resolver, name)
	if err != nil {
		return nil, err
	}
	out.Warnings = append(append([]string(nil), cs.Warnings...), warnings...)
	implied := options.Merge(&options.Client{TLS: new(true)}, fromTXT)
	out.Options = options.Merge(implied, cs.Options)
	if cs.own != nil {
		out.own = options.Merge(implied, cs.own)
	}
	// The rules apply to all hosts that DNS named, before srvMaxHosts picks some of them.
	out.Hosts = hosts
	if err := out.Validate(); err != nil {
		return nil, err
	}
	limit := option.Or(out.Options.SRVMaxHosts, options.DefaultSRVMaxHosts)
	if err := CheckHosts(name, len(hosts), limit); err != nil {
		return nil, err
	}
	if limit > 0 {
		out.Hosts = Sample(hosts, limit)
	}
	return &out, nil
}

// maxHosts is how many hosts of SRV records a client uses at most: each costs it a monitor, a pool and their
// goroutines.
//
// departures.yaml, many-hosts.
const maxHosts = 10_000

// CheckHosts returns an error if a client would use too many of the n hosts that SRV records name. srvMaxHosts limits
// how many it uses; 0 means all.
func CheckHosts(name string, n, srvMaxHosts int) error {
	if srvMaxHosts > 0 {
		n = min(n, srvMaxHosts)
	}
	if n <= maxHosts {
		return nil
	}
	return refuse(fmt.Sprintf("the SRV records of %s name %d hosts to use, more than %d: set srvMaxHosts to use some of them",
		name, n, maxHosts))
}

// SRVName is the name whose SRV records are polled, with its service. It is empty for a string that is not mongodb+srv.
// Call it on the string before Resolve.
func (cs *ConnString) SRVName() (name, service string) {
	if !cs.SRV {
		return "", ""
	}
	return cs.Hosts[0], cs.service()
}

func (cs *ConnString) service() string {
	if s := cs.Options.SRVServiceName; s != nil && *s != "" {
		return *s
	}
	return defaultService
}

// Sample picks n hosts at random, or all of them if there are no more than n.
func Sample(hosts []string, n int) []string {
	if n <= 0 || n >= len(hosts) {
		return hosts
	}
	picked := append([]string(nil), hosts...)
	rand.Shuffle(len(picked), func(i, j int) { picked[i], picked[j] = picked[j], picked[i] })
	return picked[:n]
}

// noSRVHint says what to do about a name without records.
const noSRVHint = " (mongodb+srv needs them; name the hosts behind mongodb:// where there are none)"

// LookupHosts looks up the SRV records of a name and checks that every host in them is in the same domain. The time to
// live is 0 if the resolver does not report it.
func LookupHosts(ctx context.Context, resolver Resolver, name, service string) (hosts []string, ttl time.Duration, err error) {
	records, ttl, err := lookupRecords(ctx, resolver, name, service)
	if err != nil {
		return nil, 0, lookupError(ctx, "looking up the SRV records of "+name+noSRVHint, err)
	}
	if len(records) == 0 {
		return nil, 0, refuse("the name " + name + " has no SRV records" + noSRVHint)
	}
	seen := map[string]bool{}
	for _, record := range records {
		target := strings.ToLower(strings.TrimSuffix(record.Target, "."))
		if err := checkTarget(name, target, record.Port); err != nil {
			return nil, 0, err
		}
		host := net.JoinHostPort(target, strconv.Itoa(int(record.Port)))
		if !seen[host] {
			seen[host] = true
			hosts = append(hosts, host)
		}
	}
	return hosts, ttl, nil
}

// checkTarget checks the host and the port of a record.
func checkTarget(name, host string, port uint16) error {
	if port == 0 {
		return refuse("the SRV records of " + name + " name a host with the port 0, which no server can have")
	}
	return checkDomain(name, host)
}

// checkDomain checks that the parent of a host is in the domain of the name that was looked up. If the name has three
// or more parts, the domain is the name without its first part. Otherwise it is the whole name.
//
// Initial DNS Seedlist Discovery, "Querying DNS".
func checkDomain(name, host string) error {
	domain := strings.ToLower(strings.TrimSuffix(name, "."))
	if strings.Count(domain, ".") >= 2 {
		_, domain, _ = strings.Cut(domain, ".")
	}
	switch {
	case !isHostName(host):
		return refuse("the SRV records of " + name + " name a host with a character that is not allowed in a host name")
	case !strings.HasSuffix(host, "."+domain):
		return refuse(fmt.Sprintf("the SRV records of %s name the host %s, whose parent is not in the domain %s", name, host, domain))
	}
	return nil
}

// lookupTXT reads the options of the TXT record, if there is one. The resolver joins the strings of one record, because
// they belong together.
func lookupTXT(ctx context.Context, resolver Resolver, name string) (*options.Client, []string, error) {
	records, err := callback.Call(ctx, resolverName, func(ctx context.Context) ([]string, error) {
		return resolver.LookupTXT(ctx, name)
	}, nil)
	if err != nil {
		var dns *net.DNSError
		if errors.As(err, &dns) && dns.IsNotFound {
			return nil, nil, nil
		}
		return nil, nil, lookupError(ctx, "looking up the TXT record of "+name, err)
	}
	switch len(records) {
	case 0:
		return nil, nil, nil
	case 1:
	default:
		return nil, nil, refuse("the name " + name + " has more than one TXT record")
	}
	pairs, err := splitPairs(records[0])
	if err != nil {
		return nil, nil, fault.URIError{Reason: "the TXT record of " + name, Err: err}
	}
	client := &options.Client{}
	warnings, err := parseTXT(client, pairs)
	if err != nil {
		return nil, nil, fault.URIError{Reason: "the TXT record of " + name, Err: err}
	}
	return client, warnings, nil
}

func lookupError(ctx context.Context, doing string, err error) error {
	if deadline, ok := ctx.Deadline(); ok && !time.Now().Before(deadline) {
		<-ctx.Done() // the resolver's timer may fire a moment before the context's own
	}
	if ctx.Err() != nil {
		err = errors.Join(context.Cause(ctx), err)
	}
	return fault.URIError{Reason: doing, Err: err}
}
