package sdam_test

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/description"
	"github.com/specdrivers/onion/generated/event"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/fault"
	"github.com/specdrivers/onion/runtime/sdam"
)

// Every field of a reply reaches the field of the description that has its name.
func TestFieldsOfAHello(t *testing.T) {
	id, process := bson.ObjectID{1, 2}, bson.ObjectID{3, 4}
	op := replyWith(t, "ts", int64(7))
	reply := replyWith(t, "ok", 1, "isWritablePrimary", true, "setName", "rs", "setVersion", 3, "electionId", id, "me", "A:1", "primary", "B:1",
		"hosts", bson.A{"A:1", "B:1"}, "passives", bson.A{"C:1"}, "arbiters", bson.A{"D:1"}, "tags", bson.Doc("dc", "ny", "n", ""),
		"minWireVersion", 8, "maxWireVersion", 21, "maxBsonObjectSize", 100, "maxMessageSizeBytes", 200, "maxWriteBatchSize", 300,
		"logicalSessionTimeoutMinutes", 30, "helloOk", true, "iscryptd", true,
		"topologyVersion", bson.Doc("processId", process, "counter", int64(5)),
		"lastWrite", bson.Doc("lastWriteDate", bson.DateTime(5000), "opTime", op))
	got := sdam.ServerFromHello("a:1", reply, time.Unix(9, 0))
	want := description.Server{
		Address: "a:1", Type: description.RSPrimary, SetName: "rs", SetVersion: new(int64(3)), ElectionID: &id, Me: "a:1", Primary: "b:1",
		Hosts: []string{"a:1", "b:1"}, Passives: []string{"c:1"}, Arbiters: []string{"d:1"}, Tags: map[string]string{"dc": "ny", "n": ""},
		MinWireVersion: 8, MaxWireVersion: 21, MaxBSONObjectSize: 100, MaxMessageSizeBytes: 200, MaxWriteBatchSize: 300,
		LogicalSessionTimeoutMinutes: new(int64(30)), HelloOK: true, IsCryptd: true, LastUpdateTime: time.Unix(9, 0),
		TopologyVersion: &description.TopologyVersion{ProcessID: process, Counter: 5}, LastWriteDate: time.UnixMilli(5000).UTC(), OpTime: op,
	}
	got.LastWriteDate = got.LastWriteDate.UTC()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

// A field with the wrong type is ignored.
func TestFieldsOfTheWrongTypeAreIgnored(t *testing.T) {
	for _, tt := range []struct {
		field string
		value any
	}{
		{"electionId", "x"}, {"setVersion", "x"}, {"me", 1}, {"hosts", "a:1"}, {"tags", 1}, {"maxWriteBatchSize", "x"}, {"maxWriteBatchSize", int64(1) << 40},
		{"topologyVersion", 1}, {"topologyVersion", bson.Doc("processId", 1, "counter", int64(1))},
		{"topologyVersion", bson.Doc("processId", bson.ObjectID{1}, "counter", "x")}, {"lastWrite", 1},
		{"lastWrite", bson.Doc("lastWriteDate", 1, "opTime", 1)}, {"logicalSessionTimeoutMinutes", "x"}, {"hosts", bson.A{1, 2}},
	} {
		t.Run(tt.field, func(t *testing.T) {
			got := sdam.ServerFromHello("a:1", replyWith(t, "ok", 1, tt.field, tt.value), time.Time{})
			want := description.Server{Address: "a:1", Type: description.Standalone}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%v: %+v", tt.value, got)
			}
		})
	}
}

// The description must not refer to the reply, whose memory is reused.
func TestADescriptionKeepsNothingOfTheReply(t *testing.T) {
	reply := replyWith(t, "ok", 1, "setName", "rs", "me", "a:1", "hosts", bson.A{"/tmp/a.sock"}, "tags", bson.Doc("dc", "ny"))
	s := sdam.ServerFromHello("a:1", reply, time.Time{})
	clear(reply)
	if s.SetName != "rs" || s.Me != "a:1" || s.Hosts[0] != "/tmp/a.sock" || s.Tags["dc"] != "ny" {
		t.Errorf("got %+v", s)
	}
}

func TestHostsThatAreNotAddresses(t *testing.T) {
	longest := strings.Repeat("h", 300)
	for _, field := range []string{"hosts", "passives", "arbiters"} {
		for host, ok := range map[string]bool{
			"a:1": true, longest: true, longest + "h": false, "": false, "a b:1": false, "a\n:1": false, "a\x00:1": false,
		} {
			s := sdam.ServerFromHello("s:1", replyWith(t, "ok", 1, "setName", "rs", "secondary", true, field, bson.A{"a:1", host}), time.Unix(1, 0))
			if (s.Err == nil) != ok || (s.Type == description.RSSecondary) != ok || s.Address != "s:1" || !s.LastUpdateTime.Equal(time.Unix(1, 0)) {
				t.Errorf("%s %q: %v, %v", field, host, s.Type, s.Err)
			}
			if !ok && !strings.HasPrefix(s.Err.Error(), "sdam: the reply of s:1 names a host that is not an address: \"") {
				t.Errorf("%s %q: %v", field, host, s.Err)
			}
		}
	}
	s := sdam.ServerFromHello("s:1", replyWith(t, "ok", 1, "hosts", manyHosts(wire.MaxHelloHosts+1)), time.Time{})
	if s.Err == nil || !strings.HasPrefix(s.Err.Error(), "sdam: the reply of s:1 names ") {
		t.Errorf("got %v", s.Err)
	}
	s = sdam.ServerFromHello("s:1", replyWith(t, "ok", 0, "errmsg", "no", "code", 1), time.Time{})
	if e, ok := errors.AsType[fault.CommandError](s.Err); !ok || e.Address != "s:1" || e.Command != wire.Hello {
		t.Errorf("got %+v", e)
	}
}

func TestFormatOfTopologies(t *testing.T) {
	for _, tt := range []struct {
		topology description.Topology
		want     string
	}{
		{description.Topology{Type: description.Sharded, Compatible: true}, "Sharded, no servers"},
		{description.Topology{Type: description.Sharded, Servers: []description.Server{{Address: "a:1", RTT: time.Second}}},
			"Sharded, 1 server\n  a:1 Unknown"},
		{description.Topology{Type: description.Single, CompatibilityError: "too old", Servers: []description.Server{{Address: "a:1", Type: description.Mongos}}},
			"Single, 1 server, incompatible: too old\n  a:1 Mongos"},
		{description.Topology{Type: description.Single, Compatible: true, CompatibilityError: "too old"}, "Single, no servers"},
	} {
		if got := sdam.Format(&tt.topology); got != tt.want {
			t.Errorf("got  %q\nwant %q", got, tt.want)
		}
	}
}

func TestModelOfOptions(t *testing.T) {
	id := bson.ObjectID{9}
	for _, tt := range []struct {
		name string
		o    *options.Client
		want sdam.Model
	}{
		{"none", nil, sdam.Model{}},
		{"empty", &options.Client{}, sdam.Model{}},
		{"set", &options.Client{ReplicaSet: new("rs")}, sdam.Model{SetName: "rs"}},
		{"direct", &options.Client{DirectConnection: new(true)}, sdam.Model{Direct: true}},
		{"not direct", &options.Client{DirectConnection: new(false), LoadBalanced: new(false)}, sdam.Model{}},
		{"balanced", &options.Client{LoadBalanced: new(true)}, sdam.Model{LoadBalanced: true}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.want.Seeds, tt.want.TopologyID = []string{"a:1", "b:1"}, id
			if got := sdam.NewModel([]string{"B:1", "a:1", "b:1"}, tt.o, id); !reflect.DeepEqual(*got, tt.want) {
				t.Errorf("got  %+v\nwant %+v", *got, tt.want)
			}
		})
	}
}

// The first events open the servers of the seeds, and the last ones close all servers.
func TestOpeningAndClosing(t *testing.T) {
	id := bson.ObjectID{7}
	d := newDeployment(sdam.NewModel([]string{"a:1", "b:1"}, &options.Client{ReplicaSet: new("rs")}, id))
	d.want(t, "ReplicaSetNoPrimary a:1=Unknown b:1=Unknown", "TopologyOpening", "TopologyDescriptionChanged", "ServerOpening a:1", "ServerOpening b:1")
	if d.now.SetName != "rs" || !d.now.Compatible || !slices.Equal(d.fx.Opened, []string{"a:1", "b:1"}) || len(d.fx.Ready) != 0 {
		t.Errorf("%+v, %+v", d.now, d.fx)
	}
	first := d.fx.Events[1].(*event.TopologyDescriptionChanged)
	if first.TopologyID != id || first.PreviousDescription.Type != description.TopologyUnknown || !first.PreviousDescription.Compatible ||
		len(first.PreviousDescription.Servers) != 0 || len(first.NewDescription.Servers) != 2 {
		t.Errorf("the first event is %+v", first)
	}
	before := d.now
	d.now, d.fx = d.Close(d.now)
	d.want(t, "Unknown", "ServerClosed a:1", "ServerClosed b:1", "TopologyDescriptionChanged", "TopologyClosed")
	last := d.fx.Events[2].(*event.TopologyDescriptionChanged)
	if !slices.Equal(d.fx.Closed, []string{"a:1", "b:1"}) || !d.now.Compatible || last.PreviousDescription.Type != before.Type ||
		len(last.NewDescription.Servers) != 0 || d.fx.Events[0].(*event.ServerClosed).TopologyID != id {
		t.Errorf("%+v", d.fx)
	}
}

// SDAM, "updateRSFromPrimary": before 6.0 setVersion decides first, from 6.0 on electionId does.
func TestStalePrimaries(t *testing.T) {
	at := func(wireVersion int32, election byte, version int64) description.Server {
		s := primary("b:1", election, "a:1", "b:1")
		s.MaxWireVersion, s.SetVersion = wireVersion, &version
		if election == 0 {
			s.ElectionID = nil
		}
		if version == 0 {
			s.SetVersion = nil
		}
		return s
	}
	for _, tt := range []struct {
		name  string
		next  description.Server // after election 2 and version 2
		stale bool
	}{
		{"6.0: a later election, an earlier version", at(17, 3, 1), false},
		{"6.0: an earlier election, a later version", at(17, 1, 3), true},
		{"6.0: the same election, an earlier version", at(17, 2, 1), true},
		{"6.0: the same", at(17, 2, 2), false},
		{"6.0: no election", at(17, 0, 3), true},
		{"6.0: no version", at(17, 2, 0), true},
		{"5.0: a later election, an earlier version", at(16, 3, 1), true},
		{"5.0: an earlier election, a later version", at(16, 1, 3), false},
		{"5.0: the same version, an earlier election", at(16, 1, 2), true},
		{"5.0: the same", at(16, 2, 2), false},
		{"5.0: no election", at(16, 0, 1), false},
		{"5.0: no version", at(16, 1, 0), false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := newDeployment(&sdam.Model{Seeds: []string{"a:1", "b:1"}, SetName: "rs"})
			first := primary("a:1", 2, "a:1", "b:1")
			first.SetVersion, first.MaxWireVersion = new(int64(2)), tt.next.MaxWireVersion
			d.apply(first)
			tt.next.LastUpdateTime = time.Unix(8, 0)
			d.apply(tt.next)
			want := "ReplicaSetWithPrimary a:1=Unknown b:1=RSPrimary"
			if tt.stale {
				want = "ReplicaSetWithPrimary a:1=RSPrimary b:1=Unknown"
			}
			if d.types() != want {
				t.Errorf("got %s, want %s", d.types(), want)
			}
			if b, _ := d.now.Server("b:1"); !b.LastUpdateTime.Equal(time.Unix(8, 0)) {
				t.Errorf("b was updated at %v", b.LastUpdateTime)
			}
		})
	}
}

// The message names the values of the stale primary first, and then those it is compared to.
func TestTheErrorOfAStalePrimary(t *testing.T) {
	d := newDeployment(&sdam.Model{Seeds: []string{"a:1", "b:1"}, SetName: "rs"})
	d.apply(primary("a:1", 2, "a:1", "b:1"))
	stale := primary("b:1", 1, "a:1", "b:1")
	stale.SetVersion = nil
	d.apply(stale)
	b, _ := d.now.Server("b:1")
	want := "sdam: primary marked stale due to electionId/setVersion mismatch, (electionId 000000000000000000000001, setVersion null) is stale " +
		"compared to (electionId 000000000000000000000002, setVersion 1)"
	if b.Err == nil || b.Err.Error() != want {
		t.Errorf("got  %v\nwant %s", b.Err, want)
	}
	d.apply(primary("b:1", 3, "a:1", "b:1"))
	if a, _ := d.now.Server("a:1"); a.Err == nil || a.Err.Error() != "sdam: primary marked stale due to discovery of newer primary" {
		t.Errorf("got %v", a.Err)
	}
}

// SDAM, "Checking wire protocol compatibility": the limits fit, and the first server that does not fit is named.
func TestLimitsOfWireVersions(t *testing.T) {
	for _, tt := range []struct {
		least, most int32
		want        string
	}{
		{wire.MaxSupportedWireVersion, wire.MaxSupportedWireVersion + 9, ""},
		{0, wire.MinSupportedWireVersion, ""},
		{wire.MaxSupportedWireVersion + 1, wire.MaxSupportedWireVersion + 1, "a:1 requires wire version"},
		{0, wire.MinSupportedWireVersion - 1, "a:1 reports wire version"},
	} {
		d := newDeployment(&sdam.Model{Seeds: []string{"a:1", "b:1"}})
		d.apply(description.Server{Address: "b:1", Type: description.Mongos, MinWireVersion: tt.least, MaxWireVersion: tt.most})
		d.apply(description.Server{Address: "a:1", Type: description.Mongos, MinWireVersion: tt.least, MaxWireVersion: tt.most})
		if d.now.Compatible != (tt.want == "") || !strings.Contains(d.now.CompatibilityError, tt.want) || (tt.want == "") != (d.now.CompatibilityError == "") {
			t.Errorf("%d to %d: %v, %q", tt.least, tt.most, d.now.Compatible, d.now.CompatibilityError)
		}
	}
}

// SDAM, "Logical Session Timeout": the smallest timeout of the data-bearing servers, or none if one of them has none.
func TestSessionTimeoutOfATopology(t *testing.T) {
	for _, tt := range []struct {
		name string
		a, b *int64
		kind description.ServerType // of b
		want *int64
	}{
		{"the first is smaller", new(int64(10)), new(int64(20)), description.Mongos, new(int64(10))},
		{"the second is smaller", new(int64(20)), new(int64(10)), description.Mongos, new(int64(10))},
		{"one has none", new(int64(20)), nil, description.Mongos, nil},
		{"the other has none", nil, new(int64(20)), description.Mongos, nil},
		{"an unknown server has none", new(int64(20)), nil, description.ServerUnknown, new(int64(20))},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := newDeployment(&sdam.Model{Seeds: []string{"a:1", "b:1"}})
			d.apply(description.Server{Address: "a:1", Type: description.Mongos, MaxWireVersion: 21, LogicalSessionTimeoutMinutes: tt.a})
			d.apply(description.Server{Address: "b:1", Type: tt.kind, MaxWireVersion: 21, LogicalSessionTimeoutMinutes: tt.b})
			if got := d.now.LogicalSessionTimeoutMinutes; !reflect.DeepEqual(got, tt.want) {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}
