package topology

import (
	"context"
	"fmt"
	"net"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/runtime/uri"

	"github.com/specdrivers/onion/generated/core/selecttable"
)

// zone is a DNS zone with the records of one name. All of them lead to one host.
type zone struct {
	mu      sync.Mutex
	name    string
	ports   []uint16
	err     error
	silent  bool
	lookups int
}

func (z *zone) LookupSRV(ctx context.Context, service, proto, name string) (string, []*net.SRV, error) {
	z.mu.Lock()
	z.lookups++
	silent := z.silent
	z.mu.Unlock()
	if silent {
		<-ctx.Done()
		return "", nil, ctx.Err()
	}
	z.mu.Lock()
	defer z.mu.Unlock()
	if asked := "_" + service + "._" + proto + "." + name; asked != z.name {
		return "", nil, &net.DNSError{Name: asked, Err: "no such host", IsNotFound: true}
	}
	var records []*net.SRV
	for _, port := range z.ports {
		records = append(records, &net.SRV{Target: "localhost.test.build.10gen.cc.", Port: port})
	}
	return "", records, z.err
}

func (*zone) LookupTXT(context.Context, string) ([]string, error) { return nil, nil }

func (z *zone) set(ports []uint16, err error, silent bool) {
	z.mu.Lock()
	defer z.mu.Unlock()
	z.ports, z.err, z.silent = ports, err, silent
}

func hostsAt(ports []uint16) []string {
	var hosts []string
	for _, port := range ports {
		hosts = append(hosts, fmt.Sprintf("localhost.test.build.10gen.cc:%d", port))
	}
	return hosts
}

// srvProse is a prose test of SRV polling: the records change and the hosts follow.
type srvProse struct {
	name    string
	uri     string
	record  string
	before  []uint16
	after   []uint16
	err     error
	silent  bool
	want    []uint16 // nil: see check
	check   func(hosts []string) bool
	notSeen bool // the records are never looked up again
}

// srvProseTests are the prose tests 1 to 13, in order.
func srvProseTests() []srvProse {
	const (
		test1, record1 = "mongodb+srv://test1.test.build.10gen.cc/", "_mongodb._tcp.test1.test.build.10gen.cc"
		test3, record3 = "mongodb+srv://test3.test.build.10gen.cc/", "_mongodb._tcp.test3.test.build.10gen.cc"
		test22         = "mongodb+srv://test22.test.build.10gen.cc/?srvServiceName=customname"
		record22       = "_customname._tcp.test22.test.build.10gen.cc"
	)
	two := []uint16{27017, 27018}
	notFound := &net.DNSError{Name: record1, Err: "no such host", IsNotFound: true}
	oneIsKept := func(hosts []string) bool {
		return len(hosts) == 2 && hosts[0] == "localhost.test.build.10gen.cc:27017" && hosts[1] != "localhost.test.build.10gen.cc:27018"
	}
	return []srvProse{
		{name: "1 addition", uri: test1, record: record1, before: two, after: []uint16{27017, 27018, 27019}, want: []uint16{27017, 27018, 27019}},
		{name: "2 removal", uri: test1, record: record1, before: two, after: []uint16{27017}, want: []uint16{27017}},
		{name: "3 replacement of one", uri: test1, record: record1, before: two, after: []uint16{27017, 27019}, want: []uint16{27017, 27019}},
		{name: "4 replacement of both by one", uri: test1, record: record1, before: two, after: []uint16{27019}, want: []uint16{27019}},
		{name: "5 replacement of both by two", uri: test1, record: record1, before: two, after: []uint16{27019, 27020}, want: []uint16{27019, 27020}},
		{name: "6 look-up timeout", uri: test1, record: record1, before: two, silent: true, want: two},
		{name: "7 look-up failure", uri: test1, record: record1, before: two, err: notFound, want: two},
		{name: "8 no records", uri: test1, record: record1, before: two, want: two},
		{
			name: "9 load balanced", uri: test3 + "?loadBalanced=true", record: record3,
			before: []uint16{27017}, after: two, want: []uint16{27017}, notSeen: true,
		},
		{
			name: "10 srvMaxHosts is 0", uri: test1 + "?srvMaxHosts=0", record: record1,
			before: two, after: []uint16{27017, 27019, 27020}, want: []uint16{27017, 27019, 27020},
		},
		{
			name: "11 srvMaxHosts is the number of records", uri: test1 + "?srvMaxHosts=2", record: record1,
			before: two, after: []uint16{27019, 27020}, want: []uint16{27019, 27020},
		},
		{
			name: "12 srvMaxHosts is less", uri: test1 + "?srvMaxHosts=2", record: record1,
			before: two, after: []uint16{27017, 27019, 27020}, check: oneIsKept,
		},
		{
			name: "13 service name", uri: test22, record: record22,
			before: []uint16{27017}, after: []uint16{27019, 27020}, want: []uint16{27019, 27020},
		},
	}
}

// TestSRVPollingProse runs the prose tests of Polling SRV Records, 1 to 13, on a sharded topology.
func TestSRVPollingProse(t *testing.T) {
	for _, tt := range srvProseTests() {
		t.Run(tt.name, func(t *testing.T) { synctest.Test(t, tt.run) })
	}
}

func (tt *srvProse) run(t *testing.T) {
	z := &zone{name: tt.record, ports: tt.before}
	top := topologyOfSRV(t, tt.uri, z)
	top.Connect()
	defer func() {
		if err := top.Close(t.Context()); err != nil {
			t.Error(err)
		}
	}()
	synctest.Wait()
	if got := addresses(top); !slices.Equal(got, hostsAt(tt.before)) {
		t.Fatalf("hosts before: %q", got)
	}
	z.set(tt.after, tt.err, tt.silent)
	time.Sleep(2 * selecttable.RescanSRVInterval)
	synctest.Wait()
	got := addresses(top)
	if tt.check != nil && !tt.check(got) || tt.check == nil && !slices.Equal(got, hostsAt(tt.want)) {
		t.Errorf("hosts %q, want the ports %v", got, tt.want)
	}
	if polled := z.lookups > 1; polled == tt.notSeen {
		t.Errorf("%d look-ups", z.lookups)
	}
}

// topologyOfSRV makes the topology that a client makes of a connection string.
func topologyOfSRV(t *testing.T, text string, z *zone) *Topology {
	t.Helper()
	parsed, err := uri.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	name, service := parsed.SRVName()
	if parsed, err = uri.Resolve(t.Context(), parsed, z); err != nil {
		t.Fatal(err)
	}
	servers := map[string]*fakeServer{}
	for _, host := range hostsAt([]uint16{27017, 27018, 27019, 27020}) {
		servers[host] = &fakeServer{fields: bson.D{{Key: "msg", Value: "isdbgrid"}}}
	}
	d := newFakeDeployment(servers)
	return New(Config{
		Hosts: parsed.Hosts, Options: parsed.Options, SRVName: name, SRVService: service,
		Resolver: z, dialMonitor: d.dial, connect: d.connect, getenv: func(string) string { return "" },
	})
}
