package sdam_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/description"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/generated/event"
	"github.com/specdrivers/onion/runtime/fault"
	"github.com/specdrivers/onion/runtime/sdam"

	"github.com/specdrivers/onion/generated/core/sdamtable"
)

// deployment drives a model and keeps what it says.
type deployment struct {
	*sdam.Model
	now description.Topology
	fx  sdam.Effects // of the last step
}

func newDeployment(m *sdam.Model) *deployment {
	d := &deployment{Model: m}
	d.now, d.fx = m.Initial()
	return d
}

func (d *deployment) apply(s description.Server) {
	d.now, d.fx = d.Apply(d.now, s)
}

// types shows the topology as "ReplicaSetNoPrimary a:1=Unknown b:1=RSSecondary".
func (d *deployment) types() string {
	text := d.now.Type.String()
	for i := range d.now.Servers {
		text += " " + d.now.Servers[i].Address + "=" + d.now.Servers[i].Type.String()
	}
	return text
}

// eventNames shows the events of the last step as "ServerOpening a:1" and so on.
func (d *deployment) eventNames() []string {
	var out []string
	for _, e := range d.fx.Events {
		name := strings.TrimPrefix(fmt.Sprintf("%T", e), "*event.")
		switch e := e.(type) {
		case *event.ServerOpening:
			name += " " + e.Address
		case *event.ServerClosed:
			name += " " + e.Address
		case *event.ServerDescriptionChanged:
			name += " " + e.Address + " " + e.NewDescription.Type.String()
		}
		out = append(out, name)
	}
	return out
}

func (d *deployment) want(t *testing.T, types string, events ...string) {
	t.Helper()
	if got := d.types(); got != types {
		t.Errorf("topology\n got %s\nwant %s", got, types)
	}
	if got := d.eventNames(); !slices.Equal(got, events) {
		t.Errorf("events\n got %q\nwant %q", got, events)
	}
}

func member(address string, typ description.ServerType, hosts ...string) description.Server {
	return description.Server{Address: address, Type: typ, SetName: "rs", Hosts: hosts, MaxWireVersion: 21}
}

func primary(address string, election byte, hosts ...string) description.Server {
	s := member(address, description.RSPrimary, hosts...)
	s.ElectionID, s.SetVersion = &bson.ObjectID{11: election}, new(int64(1))
	return s
}

func TestElectionMovesThePrimary(t *testing.T) {
	d := newDeployment(sdam.NewModel([]string{"A:1"}, nil, bson.ObjectID{1}))
	d.want(t, "Unknown a:1=Unknown", "TopologyOpening", "TopologyDescriptionChanged", "ServerOpening a:1")

	d.apply(primary("a:1", 1, "a:1", "b:1"))
	d.want(t, "ReplicaSetWithPrimary a:1=RSPrimary b:1=Unknown",
		"ServerDescriptionChanged a:1 RSPrimary", "ServerOpening b:1", "TopologyDescriptionChanged")
	if !slices.Equal(d.fx.Ready, []string{"a:1"}) || !slices.Equal(d.fx.Opened, []string{"b:1"}) {
		t.Errorf("effects %+v", d.fx)
	}

	d.apply(primary("b:1", 2, "a:1", "b:1"))
	d.want(t, "ReplicaSetWithPrimary a:1=Unknown b:1=RSPrimary",
		"ServerDescriptionChanged b:1 RSPrimary", "ServerDescriptionChanged a:1 Unknown", "TopologyDescriptionChanged")
	if !slices.Equal(d.fx.Check, []string{"a:1"}) || len(d.fx.Clear) != 0 {
		t.Errorf("the old primary must be checked and its pool kept: %+v", d.fx)
	}

	d.apply(primary("a:1", 1, "a:1", "b:1")) // it does not know of the election yet
	d.want(t, "ReplicaSetWithPrimary a:1=Unknown b:1=RSPrimary",
		"ServerDescriptionChanged a:1 Unknown", "TopologyDescriptionChanged")
	if s, _ := d.now.Server("a:1"); !strings.Contains(s.Err.Error(), "electionId/setVersion mismatch") {
		t.Errorf("a:1 has error %v", s.Err)
	}

	d.apply(primary("b:1", 2, "b:1"))
	d.want(t, "ReplicaSetWithPrimary b:1=RSPrimary",
		"ServerDescriptionChanged b:1 RSPrimary", "ServerClosed a:1", "TopologyDescriptionChanged")
	d.apply(primary("a:1", 3, "a:1"))
	d.want(t, "ReplicaSetWithPrimary b:1=RSPrimary")
}

func TestOnlyHostnamesOfSeedsAreInLowerCase(t *testing.T) {
	for _, tt := range []struct {
		name        string
		seeds, want []string
	}{
		{"hostname", []string{"DB.Example.com:27017"}, []string{"db.example.com:27017"}},
		{"IPv6 address", []string{"[FE80::1]:27017"}, []string{"[fe80::1]:27017"}},
		{"the same hostname twice", []string{"A:1", "a:1"}, []string{"a:1"}},
		{"hostname that ends like a socket", []string{"DB.SOCK:27017"}, []string{"db.sock:27017"}},
		{"unix domain socket", []string{"/tmp/MyDB/MongoDB-27017.sock"}, []string{"/tmp/MyDB/MongoDB-27017.sock"}},
		{"two sockets that differ in case", []string{"/tmp/a.sock", "/tmp/A.sock"}, []string{"/tmp/A.sock", "/tmp/a.sock"}},
		{"relative path of a socket", []string{"./Run/DB.sock"}, []string{"./Run/DB.sock"}},
		{"path with backslashes", []string{`C:\Run\DB.sock`}, []string{`C:\Run\DB.sock`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := newDeployment(sdam.NewModel(tt.seeds, nil, bson.ObjectID{1}))
			var got []string
			for i := range d.now.Servers {
				got = append(got, d.now.Servers[i].Address)
			}
			if !slices.Equal(d.Seeds, tt.want) || !slices.Equal(got, tt.want) {
				t.Errorf("seeds %q, servers %q, want %q", d.Seeds, got, tt.want)
			}
		})
	}
}

func TestEqualDescriptionsPublishNothing(t *testing.T) {
	d := newDeployment(&sdam.Model{Seeds: []string{"a:1"}, Direct: true})
	s := description.Server{Address: "a:1", Type: description.Standalone, MaxWireVersion: 21}
	d.apply(s)
	s.RTT, s.LastUpdateTime = time.Millisecond, time.Unix(1, 0)
	d.apply(s)
	d.want(t, "Single a:1=Standalone")
	if got, _ := d.now.Server("a:1"); got.RTT != time.Millisecond {
		t.Error("the description was not replaced")
	}
}

func TestSingleVerifiesSetName(t *testing.T) {
	d := newDeployment(&sdam.Model{Seeds: []string{"a:1"}, Direct: true, SetName: "other"})
	d.apply(member("a:1", description.RSPrimary))
	d.want(t, "Single a:1=Unknown", "ServerDescriptionChanged a:1 Unknown", "TopologyDescriptionChanged")
	if len(d.fx.Ready) != 0 {
		t.Errorf("pool made ready: %v", d.fx.Ready)
	}
}

func TestLoadBalancedNeverChanges(t *testing.T) {
	d := newDeployment(&sdam.Model{Seeds: []string{"a:1"}, LoadBalanced: true})
	d.want(t, "LoadBalanced a:1=LoadBalancer", "TopologyOpening", "TopologyDescriptionChanged", "ServerOpening a:1",
		"ServerDescriptionChanged a:1 LoadBalancer", "TopologyDescriptionChanged")
	if len(d.fx.Opened) != 0 || !slices.Equal(d.fx.Ready, []string{"a:1"}) {
		t.Errorf("effects %+v", d.fx)
	}
	service := bson.ObjectID{7}
	d.now, d.fx = d.HandleError(d.now, &sdam.ApplicationError{Address: "a:1", ServiceID: &service,
		Phase: sdamtable.AfterHandshake, Err: fault.NetworkError{Err: errors.New("reset")}})
	d.want(t, "LoadBalanced a:1=LoadBalancer")
	if len(d.fx.Clear) != 1 || d.fx.Clear[0].ServiceID == nil || len(d.fx.Cancel) != 0 {
		t.Errorf("effects %+v", d.fx)
	}
	d.now, d.fx = d.Close(d.now)
	d.want(t, "Unknown", "ServerClosed a:1", "TopologyDescriptionChanged", "TopologyClosed")
}

func TestIncompatibleServers(t *testing.T) {
	d := newDeployment(&sdam.Model{Seeds: []string{"a:1", "b:1"}, SetName: "rs"})
	old := member("a:1", description.RSSecondary)
	old.MaxWireVersion = 6
	d.apply(old)
	if d.now.Compatible || !strings.Contains(d.now.CompatibilityError, "a:1 reports wire version 6") {
		t.Errorf("compatible %v, error %q", d.now.Compatible, d.now.CompatibilityError)
	}
	for _, next := range []description.Server{member("a:1", description.RSSecondary), {Address: "a:1", Err: errors.New("gone")}} {
		d.apply(old)
		d.apply(next)
		if !d.now.Compatible || d.now.CompatibilityError != "" {
			t.Errorf("after %v: compatible %v, error %q", next.Type, d.now.Compatible, d.now.CompatibilityError)
		}
	}
}

func TestHandleError(t *testing.T) {
	version := func(counter int64) *description.TopologyVersion {
		return &description.TopologyVersion{Counter: counter}
	}
	reply := func(code errcode.Code, counter int64) error {
		raw, start := bson.AppendDocumentStart(nil)
		raw, inner := bson.AppendDocumentElementStart(raw, "topologyVersion")
		raw = bson.AppendObjectIDElement(raw, "processId", bson.ObjectID{})
		raw = bson.AppendInt64Element(raw, "counter", counter)
		raw = bson.AppendDocumentEnd(raw, inner)
		raw = bson.AppendDocumentEnd(raw, start)
		return fault.CommandError{Code: code, Raw: raw}
	}
	reset := fault.NetworkError{Err: errors.New("reset")}
	timeout := fault.NetworkError{Err: os.ErrDeadlineExceeded}
	const before, after = sdamtable.BeforeHandshake, sdamtable.AfterHandshake
	tests := []struct {
		name       string
		phase      sdamtable.Phase
		generation uint64 // the pool's is 1
		err        error
		want       string // "unknown", "clear", "check", "cancel"
	}{
		{"network", after, 1, reset, "unknown clear cancel"},
		{"stale network", after, 0, reset, ""},
		{"timeout of an operation", after, 1, timeout, ""},
		{"timeout of authentication", before, 1, timeout, "unknown clear cancel"},
		{"overloaded", before, 1, fault.AddLabels(reset, fault.LabelSystemOverloadedError), ""},
		{"authentication failed", before, 1, fault.AuthError{Err: fault.CommandError{Code: 18}}, "unknown clear cancel"},
		{"given up", before, 1, fault.NetworkError{Err: context.Canceled}, ""},
		{"no connection in time", before, 1, fault.WaitQueueTimeoutError{}, ""},
		{"cleared pool", after, 1, fault.PoolClearedError{Err: reset}, ""},
		{"not primary", after, 1, reply(errcode.NotWritablePrimary, 6), "unknown check"},
		{"not primary, as known", after, 1, reply(errcode.NotWritablePrimary, 5), ""},
		{"shutdown", after, 1, reply(errcode.ShutdownInProgress, 6), "unknown clear check"},
		{"message without a code", after, 1, fault.CommandError{Message: "node is recovering"}, "unknown check"},
		{"code outweighs message", after, 1, fault.CommandError{Code: 1, Message: "node is recovering"}, ""},
		{"write concern error", after, 1, fault.WriteException{
			WriteConcernError: &fault.WriteConcernError{Code: errcode.PrimarySteppedDown}}, "unknown check"},
		{"write concern error, as known", after, 1, fault.WriteException{
			WriteConcernError: &fault.WriteConcernError{Code: errcode.PrimarySteppedDown}, Raw: reply(0, 5).(fault.CommandError).Raw}, ""},
		{"write error", after, 1, fault.WriteException{
			WriteErrors: fault.WriteErrors{{Code: errcode.NotWritablePrimary}}}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := newDeployment(&sdam.Model{Seeds: []string{"a:1"}, SetName: "rs"})
			s := member("a:1", description.RSPrimary, "a:1")
			s.TopologyVersion = version(5)
			d.apply(s)
			d.now, d.fx = d.HandleError(d.now, &sdam.ApplicationError{
				Address: "a:1", Generation: tt.generation, PoolGeneration: 1, Phase: tt.phase, Err: tt.err,
			})
			if got := effectNames(d); got != tt.want {
				t.Errorf("effects %q, want %q", got, tt.want)
			}
			if now, _ := d.now.Server("a:1"); tt.name == "not primary" && now.TopologyVersion.Compare(version(6)) != 0 {
				t.Errorf("the version of the error's reply is lost: %v", now.TopologyVersion)
			}
		})
	}
}

// Behind a load balancer an error clears the connections of its own service, if that is known, and does nothing else.
func TestHandleErrorBehindALoadBalancer(t *testing.T) {
	service := bson.ObjectID{1}
	reset := fault.NetworkError{Err: errors.New("reset")}
	for _, tt := range []struct {
		name    string
		phase   sdamtable.Phase
		service *bson.ObjectID
		err     error
		clears  bool
	}{
		{"before the hello", sdamtable.BeforeHandshake, nil, reset, false},
		{"during the authentication", sdamtable.BeforeHandshake, &service, reset, true},
		{"of an operation", sdamtable.AfterHandshake, &service, reset, true},
		{"a shutdown", sdamtable.AfterHandshake, &service, fault.CommandError{Code: errcode.ShutdownInProgress}, true},
		{"not primary", sdamtable.AfterHandshake, &service, fault.CommandError{Code: errcode.NotWritablePrimary}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := newDeployment(&sdam.Model{Seeds: []string{"a:1"}, LoadBalanced: true})
			d.now, d.fx = d.HandleError(d.now, &sdam.ApplicationError{
				Address: "a:1", Generation: 1, PoolGeneration: 1, Phase: tt.phase, ServiceID: tt.service, Err: tt.err,
			})
			if (len(d.fx.Clear) == 1) != tt.clears || tt.clears && d.fx.Clear[0].ServiceID != tt.service || len(d.fx.Check)+len(d.fx.Cancel) > 0 {
				t.Errorf("effects %+v", d.fx)
			}
			if s, _ := d.now.Server("a:1"); s.Type != description.LoadBalancer {
				t.Errorf("the load balancer is %v", s.Type)
			}
		})
	}
}

func effectNames(d *deployment) string {
	var names []string
	if s, _ := d.now.Server("a:1"); s.Type == description.ServerUnknown {
		names = append(names, "unknown")
	}
	if len(d.fx.Clear) > 0 {
		names = append(names, "clear")
	}
	if len(d.fx.Check) > 0 {
		names = append(names, "check")
	}
	if len(d.fx.Cancel) > 0 {
		names = append(names, "cancel")
	}
	return strings.Join(names, " ")
}

func TestCheckFailedClearsThePool(t *testing.T) {
	tests := []struct {
		name      string
		err       error
		interrupt bool
	}{
		{"network", fault.NetworkError{Err: errors.New("reset")}, false},
		{"network timeout", fault.NetworkError{Err: os.ErrDeadlineExceeded}, true},
		{"command", fault.CommandError{Code: errcode.MaxTimeMSExpired}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := newDeployment(&sdam.Model{Seeds: []string{"a:1"}, SetName: "rs"})
			d.apply(primary("a:1", 1, "a:1"))
			d.now, d.fx = d.CheckFailed(d.now, description.Server{Address: "a:1", Err: tt.err})
			d.want(t, "ReplicaSetNoPrimary a:1=Unknown", "ServerDescriptionChanged a:1 Unknown", "TopologyDescriptionChanged")
			if len(d.fx.Clear) != 1 || d.fx.Clear[0].InterruptInUse != tt.interrupt {
				t.Errorf("Clear = %+v", d.fx.Clear)
			}
		})
	}
}

func TestSetHostsKeepsWhatStays(t *testing.T) {
	d := newDeployment(&sdam.Model{Seeds: []string{"a:1", "b:1"}})
	d.apply(description.Server{Address: "a:1", Type: description.Mongos, MaxWireVersion: 21})
	d.now, d.fx = d.SetHosts(d.now, []string{"c:1", "a:1"})
	d.want(t, "Sharded a:1=Mongos c:1=Unknown", "ServerOpening c:1", "ServerClosed b:1", "TopologyDescriptionChanged")
	d.now, d.fx = d.SetHosts(d.now, nil)
	d.want(t, "Sharded a:1=Mongos c:1=Unknown")
}

func TestServerFromHello(t *testing.T) {
	reply, err := bson.Marshal(bson.D{
		{Key: "ok", Value: 1.0}, {Key: "helloOk", Value: true}, {Key: "ismaster", Value: true},
		{Key: "setName", Value: "rs"}, {Key: "setVersion", Value: 3}, {Key: "me", Value: "A:1"},
		{Key: "hosts", Value: bson.A{"A:1", "B:1"}}, {Key: "tags", Value: bson.D{{Key: "dc", Value: "ny"}}},
		{Key: "maxWireVersion", Value: int64(21)}, {Key: "logicalSessionTimeoutMinutes", Value: 30},
		{Key: "lastWrite", Value: bson.D{{Key: "lastWriteDate", Value: bson.DateTime(5000)}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	s := sdam.ServerFromHello("a:1", reply, time.Unix(9, 0))
	if s.Type != description.RSPrimary || s.SetName != "rs" || s.Me != "a:1" || !slices.Equal(s.Hosts, []string{"a:1", "b:1"}) ||
		s.Tags["dc"] != "ny" || *s.SetVersion != 3 || s.MaxWireVersion != 21 || *s.LogicalSessionTimeoutMinutes != 30 ||
		!s.HelloOK || s.LastWriteDate.Unix() != 5 || s.LastUpdateTime.Unix() != 9 {
		t.Errorf("ServerFromHello() = %+v", s)
	}
	refused, _ := bson.Marshal(bson.D{{Key: "ok", Value: 0}, {Key: "errmsg", Value: "no"}, {Key: "code", Value: 11600}})
	s = sdam.ServerFromHello("a:1", refused, time.Time{})
	if e, ok := errors.AsType[fault.CommandError](s.Err); !ok || e.Code != errcode.InterruptedAtShutdown || s.Type != 0 {
		t.Errorf("ServerFromHello() = %+v", s)
	}
}

func TestFormat(t *testing.T) {
	d := newDeployment(&sdam.Model{Seeds: []string{"a:1", "b:1"}, SetName: "rs"})
	s := primary("a:1", 1, "a:1", "b:1")
	s.RTT, s.Tags = 1234*time.Microsecond, map[string]string{"dc": "ny", "a": "b"}
	d.apply(s)
	d.apply(description.Server{Address: "b:1", Err: errors.New("refused")})
	want := "ReplicaSetWithPrimary rs, 2 servers\n" +
		"  a:1 RSPrimary, round trip 1.23ms, wire version 21, set version 1, tags a=b dc=ny\n" +
		"  b:1 Unknown, refused"
	if got := sdam.Format(&d.now); got != want {
		t.Errorf("Format() =\n%s\nwant\n%s", got, want)
	}
}
