package dns

import (
	"context"
	"encoding/binary"
	"errors"
	"net"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"

	"github.com/specdrivers/onion/runtime/uri"
)

var _ uri.TTLResolver = (*Resolver)(nil)

const askedName = "_mongodb._tcp.cluster.example.com."

func srv(name, target string, port uint16, ttl uint32) dnsmessage.Resource {
	return dnsmessage.Resource{
		Header: dnsmessage.ResourceHeader{Name: dnsmessage.MustNewName(name), Type: dnsmessage.TypeSRV, Class: dnsmessage.ClassINET, TTL: ttl},
		Body:   &dnsmessage.SRVResource{Target: dnsmessage.MustNewName(target), Port: port, Priority: uint16(port % 2)},
	}
}

func alias(name, to string, ttl uint32) dnsmessage.Resource {
	return dnsmessage.Resource{
		Header: dnsmessage.ResourceHeader{Name: dnsmessage.MustNewName(name), Type: dnsmessage.TypeCNAME, Class: dnsmessage.ClassINET, TTL: ttl},
		Body:   &dnsmessage.CNAMEResource{CNAME: dnsmessage.MustNewName(to)},
	}
}

// server answers one question after another over UDP and TCP. change edits the answer; tcp says how the question came.
type server struct {
	t       *testing.T
	address string
	change  func(m *dnsmessage.Message, tcp bool)
	overTCP atomic.Int32
	stray   atomic.Bool // send an unrelated message first
}

func startServer(t *testing.T, change func(m *dnsmessage.Message, tcp bool)) *server {
	t.Helper()
	s := &server{t: t, change: change}
	udp, tcp := listenBoth(t)
	s.address = udp.LocalAddr().String()
	t.Cleanup(func() { udp.Close(); tcp.Close() })
	go func() {
		buffer := make([]byte, 4096)
		for {
			n, from, err := udp.ReadFrom(buffer)
			if err != nil {
				return
			}
			if s.stray.Load() {
				udp.WriteTo([]byte("garbage"), from)
			}
			if out := s.answer(buffer[:n], false); out != nil {
				udp.WriteTo(out, from)
			}
		}
	}()
	go func() {
		for {
			nc, err := tcp.Accept()
			if err != nil {
				return
			}
			s.overTCP.Add(1)
			if in, err := readMessage(nc, true); err == nil {
				out := s.answer(in, true)
				nc.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(out))), out...))
			}
			nc.Close()
		}
	}()
	return s
}

// listenBoth takes a port that is free for both protocols. A port may be free for one and in use for the other.
func listenBoth(t *testing.T) (net.PacketConn, net.Listener) {
	t.Helper()
	for range 50 {
		udp, err := net.ListenPacket("udp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		if tcp, err := net.Listen("tcp", udp.LocalAddr().String()); err == nil {
			return udp, tcp
		}
		udp.Close()
	}
	t.Fatal("no port is free for both protocols")
	return nil, nil
}

func (s *server) answer(in []byte, tcp bool) []byte {
	var m dnsmessage.Message
	if err := m.Unpack(in); err != nil {
		s.t.Error(err)
		return nil
	}
	m.Response = true
	m.Additionals = nil
	s.change(&m, tcp)
	if !m.Response {
		return nil
	}
	out, err := m.Pack()
	if err != nil {
		s.t.Error(err)
	}
	return out
}

// newSilentResolver is a net.Resolver that fails at once, so a test notices when the driver asks it.
func newSilentResolver() *net.Resolver {
	return &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		return nil, errFallback
	}}
}

var errFallback = errors.New("the resolver of package net was asked")

func resolverOf(servers ...string) *Resolver {
	return &Resolver{Resolver: newSilentResolver(), servers: func() []string { return servers }}
}

func TestLookupSRVWithTTL(t *testing.T) {
	for _, tc := range []struct {
		name   string
		change func(m *dnsmessage.Message, tcp bool)
		want   []string // nil if the driver must ask package net
		ttl    time.Duration
		tcp    bool
	}{
		{"records", func(m *dnsmessage.Message, _ bool) {
			m.Answers = []dnsmessage.Resource{srv(askedName, "b.example.com.", 27017, 90), srv(askedName, "a.example.com.", 27018, 60)}
		}, []string{"a.example.com.", "b.example.com."}, time.Minute, false},
		{"a record that is never kept, before another", func(m *dnsmessage.Message, _ bool) {
			m.Answers = []dnsmessage.Resource{srv(askedName, "a.example.com.", 1, 0), srv(askedName, "b.example.com.", 1, 300)}
		}, []string{"a.example.com.", "b.example.com."}, 0, false},
		{"a time to live with the highest bit", func(m *dnsmessage.Message, _ bool) {
			m.Answers = []dnsmessage.Resource{srv(askedName, "a.example.com.", 1, 1<<31)}
		}, []string{"a.example.com."}, 0, false},
		{"an alias", func(m *dnsmessage.Message, _ bool) {
			m.Answers = []dnsmessage.Resource{alias(askedName, "other.example.com.", 30), srv("other.example.com.", "a.example.com.", 1, 60)}
		}, []string{"a.example.com."}, 30 * time.Second, false},
		{"a record of another type between", func(m *dnsmessage.Message, _ bool) {
			text := alias(askedName, askedName, 1)
			text.Header.Type, text.Body = dnsmessage.TypeTXT, &dnsmessage.TXTResource{TXT: []string{"authSource=x"}}
			m.Answers = []dnsmessage.Resource{text, srv(askedName, "a.example.com.", 1, 60)}
		}, []string{"a.example.com."}, time.Minute, false},
		{"letters of another case", func(m *dnsmessage.Message, _ bool) {
			m.Answers = []dnsmessage.Resource{srv("_MongoDB._TCP.Cluster.example.com.", "a.example.com.", 1, 60)}
		}, []string{"a.example.com."}, time.Minute, false},
		{"truncated", func(m *dnsmessage.Message, tcp bool) {
			m.Truncated = !tcp
			if tcp {
				m.Answers = []dnsmessage.Resource{srv(askedName, "a.example.com.", 1, 60)}
			}
		}, []string{"a.example.com."}, time.Minute, true},
		{"aliases in a circle", func(m *dnsmessage.Message, _ bool) {
			m.Answers = []dnsmessage.Resource{alias(askedName, "x.example.com.", 1), alias("x.example.com.", askedName, 1)}
		}, nil, 0, false},
		{"records of another name", func(m *dnsmessage.Message, _ bool) {
			m.Answers = []dnsmessage.Resource{srv("evil.example.com.", "a.example.com.", 1, 60)}
		}, nil, 0, false},
		{"no such name", func(m *dnsmessage.Message, _ bool) { m.RCode = dnsmessage.RCodeNameError }, nil, 0, false},
		{"a failure", func(m *dnsmessage.Message, _ bool) { m.RCode = dnsmessage.RCodeServerFailure }, nil, 0, false},
		{"no answer", func(m *dnsmessage.Message, _ bool) { m.Response = false }, nil, 0, false},
		{"another id", func(m *dnsmessage.Message, _ bool) { m.ID++ }, nil, 0, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := startServer(t, tc.change)
			records, ttl, err := resolverOf(s.address).LookupSRVWithTTL(t.Context(), "mongodb", "tcp", "cluster.example.com")
			if tc.want == nil {
				if err == nil {
					t.Fatalf("records = %v, want that package net is asked", records)
				}
				return
			}
			var got []string
			for _, r := range records {
				got = append(got, r.Target)
			}
			if err != nil || !slices.Equal(got, tc.want) || ttl != tc.ttl {
				t.Errorf("%v, %v, %v; want %v, %v", got, ttl, err, tc.want, tc.ttl)
			}
			if (s.overTCP.Load() > 0) != tc.tcp {
				t.Errorf("%d times over TCP", s.overTCP.Load())
			}
		})
	}
}

func TestNextServerIsAsked(t *testing.T) {
	broken := startServer(t, func(m *dnsmessage.Message, _ bool) { m.RCode = dnsmessage.RCodeServerFailure })
	good := startServer(t, func(m *dnsmessage.Message, _ bool) {
		m.Answers = []dnsmessage.Resource{srv(askedName, "a.example.com.", 1, 60)}
	})
	good.stray.Store(true) // the resolver skips unrelated messages
	records, ttl, err := resolverOf(broken.address, good.address).LookupSRVWithTTL(t.Context(), "mongodb", "tcp", "cluster.example.com")
	if err != nil || len(records) != 1 || ttl != time.Minute {
		t.Errorf("%v, %v, %v", records, ttl, err)
	}
}

func TestCancellationEndsALookup(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	s := startServer(t, func(m *dnsmessage.Message, _ bool) { m.Response = false; cancel() })
	if _, _, err := resolverOf(s.address).LookupSRVWithTTL(ctx, "mongodb", "tcp", "cluster.example.com"); err == nil {
		t.Error("no error")
	}
}

func TestParseServers(t *testing.T) {
	got := parseServers("# comment\nnameserver 192.0.2.1\nsearch example.com\nnameserver 2001:db8::1\n nameserver fe80::1%eth0 \nnameserver x\nnameserver\n")
	want := []string{"192.0.2.1:53", "[2001:db8::1]:53", "[fe80::1%eth0]:53"}
	if !slices.Equal(got, want) {
		t.Errorf("servers = %q, want %q", got, want)
	}
	if servers := readServers("/nowhere/resolv.conf"); servers != nil {
		t.Errorf("servers = %q of no file", servers)
	}
}

// FuzzAnswer reads anything that a server may send.
func FuzzAnswer(f *testing.F) {
	question := dnsmessage.Question{Name: dnsmessage.MustNewName(askedName), Type: dnsmessage.TypeSRV, Class: dnsmessage.ClassINET}
	good := dnsmessage.Message{
		Header: dnsmessage.Header{ID: 7, Response: true}, Questions: []dnsmessage.Question{question},
		Answers: []dnsmessage.Resource{alias(askedName, "x.example.com.", 1), srv("x.example.com.", "a.example.com.", 1, 60)},
	}
	packed, err := good.Pack()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(packed)
	f.Add(packed[:20])
	q := &query{id: 7, question: question}
	f.Fuzz(func(t *testing.T, in []byte) {
		if a, err := q.parse(in); err != nil && len(a.records) > 0 {
			t.Error("records and an error")
		}
	})
}
