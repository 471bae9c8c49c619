package topology

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/description"
	"github.com/specdrivers/onion/generated/options"
)

// fakeResolver answers SRV look-ups with its hosts.
type fakeResolver struct {
	mu      sync.Mutex
	targets []string
	ttl     time.Duration
	err     error
	lookups int
}

func (r *fakeResolver) set(f func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	f()
}

func (r *fakeResolver) count() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.lookups
}

func (r *fakeResolver) LookupSRV(context.Context, string, string, string) (string, []*net.SRV, error) {
	panic("the time to live is known")
}

func (r *fakeResolver) LookupTXT(context.Context, string) ([]string, error) { return nil, nil }

func (r *fakeResolver) LookupSRVWithTTL(_ context.Context, service, proto, name string) ([]*net.SRV, time.Duration, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lookups++
	if service != "mongodb" || proto != "tcp" || name != "c.example.com" {
		return nil, 0, errors.New("wrong look-up")
	}
	var out []*net.SRV
	for _, target := range r.targets {
		// Polling SRV Records, "Implementation": the driver ignores priority and weight.
		out = append(out, &net.SRV{Target: target + ".", Port: 1, Priority: uint16(len(out)), Weight: uint16(9 * len(out))})
	}
	return out, r.ttl, r.err
}

func addresses(t *Topology) []string {
	var out []string
	for i := range t.Description().Servers {
		out = append(out, t.Description().Servers[i].Address)
	}
	return out
}

func srvBubble(t *testing.T, r *fakeResolver, o *options.Client, replica bool, test func(*testing.T, *Topology)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		servers := map[string]*fakeServer{}
		for _, host := range []string{"a.example.com:1", "b.example.com:1", "c.example.com:1", "d.example.com:1", "x.other.com:1"} {
			servers[host] = &fakeServer{fields: bson.D{{Key: "msg", Value: "isdbgrid"}}}
			if replica {
				servers[host].fields = memberFields([]string{"a.example.com:1"}, host, true, 1)
			}
		}
		d := newFakeDeployment(servers)
		top := New(Config{
			Hosts: []string{"a.example.com:1", "b.example.com:1"}, Options: o, SRVName: "c.example.com", SRVService: "mongodb",
			Resolver: r, dialMonitor: d.dial, connect: d.connect, getenv: func(string) string { return "" },
		})
		top.Connect()
		defer func() {
			if err := top.Close(t.Context()); err != nil {
				t.Error(err)
			}
		}()
		synctest.Wait()
		test(t, top)
	})
}

func TestSRVPollingChangesTheHosts(t *testing.T) {
	r := &fakeResolver{targets: []string{"a.example.com", "c.example.com", "x.other.com"}}
	srvBubble(t, r, &options.Client{}, false, func(t *testing.T, top *Topology) {
		kept := top.current.Load().servers["a.example.com:1"]
		time.Sleep(60*time.Second + time.Millisecond)
		synctest.Wait()
		if got := addresses(top); !slices.Equal(got, []string{"a.example.com:1", "c.example.com:1"}) {
			t.Errorf("hosts %q", got)
		}
		if top.current.Load().servers["a.example.com:1"] != kept {
			t.Error("a host that stays was replaced")
		}
		r.set(func() { r.targets, r.ttl = []string{"d.example.com"}, 100*time.Second })
		time.Sleep(60 * time.Second)
		synctest.Wait()
		if got := addresses(top); !slices.Equal(got, []string{"d.example.com:1"}) {
			t.Errorf("hosts %q", got)
		}
		r.set(func() { r.targets = []string{"a.example.com"} })
		time.Sleep(99 * time.Second)
		if n := r.count(); n != 2 {
			t.Errorf("%d look-ups before the time to live was over, want 2", n)
		}
		time.Sleep(time.Second)
		synctest.Wait()
		if n := r.count(); n != 3 {
			t.Errorf("%d look-ups after the time to live, want 3", n)
		}
	})
}

func TestSRVPollingSurvivesFailures(t *testing.T) {
	tests := []struct {
		name    string
		targets []string
		err     error
	}{
		{"error", nil, errors.New("server misbehaving")},
		{"no records", nil, nil},
		{"only foreign hosts", []string{"x.other.com"}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := &fakeResolver{targets: tt.targets, err: tt.err}
			srvBubble(t, r, &options.Client{}, false, func(t *testing.T, top *Topology) {
				time.Sleep(60*time.Second + time.Millisecond)
				synctest.Wait()
				if got := addresses(top); len(got) != 2 || top.Description().Type != description.Sharded {
					t.Errorf("topology %v", top.current.Load())
				}
				r.set(func() { r.targets, r.err = []string{"d.example.com"}, nil })
				time.Sleep(10 * time.Second) // heartbeatFrequencyMS until there are records again
				synctest.Wait()
				if got := addresses(top); !slices.Equal(got, []string{"d.example.com:1"}) {
					t.Errorf("hosts %q", got)
				}
			})
		})
	}
}

func TestSRVMaxHostsKeepsWhatIsThere(t *testing.T) {
	r := &fakeResolver{targets: []string{"b.example.com", "c.example.com", "d.example.com"}}
	srvBubble(t, r, &options.Client{SRVMaxHosts: new(2)}, false, func(t *testing.T, top *Topology) {
		time.Sleep(60*time.Second + time.Millisecond)
		synctest.Wait()
		if got := addresses(top); len(got) != 2 || got[0] != "b.example.com:1" {
			t.Errorf("hosts %q, want b and another", got)
		}
	})
}

func TestSRVMaxHostsIsALimit(t *testing.T) {
	for limit, want := range map[int]int{0: 3, 1: 1, 2: 2, 3: 3, 4: 3} {
		r := &fakeResolver{targets: []string{"b.example.com", "c.example.com", "d.example.com"}}
		srvBubble(t, r, &options.Client{SRVMaxHosts: &limit}, false, func(t *testing.T, top *Topology) {
			time.Sleep(60*time.Second + time.Millisecond)
			synctest.Wait()
			if got := addresses(top); len(got) != want {
				t.Errorf("srvMaxHosts=%d: hosts %q, want %d", limit, got, want)
			}
		})
	}
}

func TestSRVIsNotPolledForReplicaSets(t *testing.T) {
	r := &fakeResolver{targets: []string{"d.example.com"}}
	srvBubble(t, r, &options.Client{}, true, func(t *testing.T, top *Topology) {
		time.Sleep(5 * time.Minute)
		if got := addresses(top); r.count() != 0 || !slices.Equal(got, []string{"a.example.com:1"}) {
			t.Errorf("%d look-ups, hosts %q", r.count(), got)
		}
	})
}

// Load Balancers, "DNS Seedlist Discovery".
func TestSRVIsNotPolledBehindALoadBalancer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &fakeResolver{targets: []string{"d.example.com"}}
		d := newFakeDeployment(map[string]*fakeServer{"a.example.com:1": {}})
		top := New(Config{
			Hosts: []string{"a.example.com:1"}, Options: &options.Client{LoadBalanced: new(true)}, SRVName: "c.example.com", SRVService: "mongodb",
			Resolver: r, dialMonitor: d.dial, connect: d.connect, getenv: func(string) string { return "" },
		})
		top.Connect()
		time.Sleep(5 * time.Minute)
		s, ok := top.Description().Server("a.example.com:1")
		if r.count() != 0 || !ok {
			t.Errorf("%d look-ups, hosts %q", r.count(), addresses(top))
		}
		// Load Balancers, "Monitoring": only the address and the type are set.
		if want := (description.Server{Address: "a.example.com:1", Type: description.LoadBalancer}); !reflect.DeepEqual(*s, want) {
			t.Errorf("the server is %+v", s)
		}
		if err := top.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

func TestSRVPollingWarns(t *testing.T) {
	tests := []struct {
		name    string
		targets []string
		err     error
		want    []string
	}{
		{"foreign host", []string{"a.example.com", "x.other.com"}, nil, []string{"names x.other.com:1, which is not in its domain"}},
		{"only foreign hosts", []string{"x.other.com"}, nil, []string{"no longer name a usable host", "x.other.com:1"}},
		{"failure", nil, errors.New("server misbehaving"), []string{"could not be looked up again: server misbehaving"}},
		{"too many hosts", manyTargets(10_001), nil, []string{"set srvMaxHosts"}},
		{"many foreign hosts", append(manyForeignTargets(12), "a.example.com"), nil, append(
			slices.Repeat([]string{"is not in its domain"}, 10), "2 more hosts")},
		{"nothing to say", []string{"a.example.com"}, nil, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := &log{}
				warns := logger(w, func(r slog.Record) string {
					if r.Level < slog.LevelWarn {
						return ""
					}
					return r.Message
				})
				d := newFakeDeployment(map[string]*fakeServer{"a.example.com:1": {fields: bson.D{{Key: "msg", Value: "isdbgrid"}}}})
				top := New(Config{
					Hosts: []string{"a.example.com:1"}, SRVName: "c.example.com", SRVService: "mongodb", Log: warns,
					Resolver: &fakeResolver{targets: tt.targets, err: tt.err}, dialMonitor: d.dial, connect: d.connect,
				})
				top.Connect()
				time.Sleep(60*time.Second + time.Millisecond)
				synctest.Wait()
				got := w.take()
				if len(got) != len(tt.want) {
					t.Fatalf("warnings %q, want %d", got, len(tt.want))
				}
				for i, want := range tt.want {
					if !strings.Contains(got[i], want) {
						t.Errorf("warning %q, want one with %q", got[i], want)
					}
				}
				if err := top.Close(t.Context()); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

func manyTargets(n int) (targets []string) {
	for i := range n {
		targets = append(targets, fmt.Sprintf("h%d.example.com", i))
	}
	return targets
}

func manyForeignTargets(n int) (targets []string) {
	for i := range n {
		targets = append(targets, fmt.Sprintf("h%d.other.com", i))
	}
	return targets
}
