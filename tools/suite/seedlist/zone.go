package seedlist

import (
	"context"
	"net"
	"strings"
)

// Zone holds DNS records and answers from them. It is a resolver that asks no server.
type Zone []Record

// Record is a DNS record.
type Record struct {
	name   string
	text   string
	target string
	port   uint16
}

// SRV returns an SRV record of a service under a name like _mongodb._tcp.example.org.
func SRV(name string, port int, target string) Record {
	return Record{name: name, port: uint16(port), target: target}
}

// TXT returns a TXT record.
func TXT(name, text string) Record { return Record{name: name, text: text} }

// LookupSRV finds SRV records as net.Resolver does.
func (z Zone) LookupSRV(_ context.Context, service, proto, name string) (string, []*net.SRV, error) {
	full := name
	if service != "" || proto != "" {
		full = "_" + service + "._" + proto + "." + name
	}
	var found []*net.SRV
	for _, r := range z {
		if r.target != "" && strings.EqualFold(r.name, strings.TrimSuffix(full, ".")) {
			found = append(found, &net.SRV{Target: r.target + ".", Port: r.port})
		}
	}
	if len(found) == 0 {
		return "", nil, notFound(full)
	}
	return full + ".", found, nil
}

// LookupTXT finds TXT records as net.Resolver does.
func (z Zone) LookupTXT(_ context.Context, name string) ([]string, error) {
	var found []string
	for _, r := range z {
		if r.target == "" && strings.EqualFold(r.name, strings.TrimSuffix(name, ".")) {
			found = append(found, r.text)
		}
	}
	if len(found) == 0 {
		return nil, notFound(name)
	}
	return found, nil
}

// targets returns the hosts that SRV records name.
func (z Zone) targets() []string {
	var out []string
	for _, r := range z {
		if r.target != "" {
			out = append(out, r.target)
		}
	}
	return out
}

func notFound(name string) error {
	return &net.DNSError{Err: "no such host", Name: name, IsNotFound: true}
}
