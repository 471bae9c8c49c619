package mtest

import (
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/tools/mongotest"
)

// TestSetup shares one deployment: tests for another one are skipped, and a proxy shows what a client sends.
func TestSetup(t *testing.T) {
	d := mongotest.Start(t, mongotest.ReplicaSet(2), mongotest.Version("7.0"))
	t.Setenv("MONGODB_URI", d.URI())
	if err := Setup(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := Teardown(); err != nil {
			t.Error(err)
		}
		environment.client = nil
	})
	if ClusterTopologyKind() != ReplicaSet || CompareServerVersions(ServerVersion(), "7.0") != 0 {
		t.Errorf("%s %s", ClusterTopologyKind(), ServerVersion())
	}
	ran := map[string]bool{}
	mt := New(t, NewOptions().CreateClient(false))
	for name, opts := range map[string]*Options{
		"fits":           NewOptions().Topologies(Sharded, ReplicaSet),
		"other topology": NewOptions().Topologies(Sharded),
		"too old":        NewOptions().MinServerVersion("8.0"),
		"too new":        NewOptions().MaxServerVersion("6.0"),
		"with log-in":    NewOptions().Auth(true),
		"a block":        NewOptions().RunOn(RunOnBlock{MinServerVersion: "8.0"}, RunOnBlock{Topology: []TopologyKind{ReplicaSet}}),
		"no block":       NewOptions().RunOn(RunOnBlock{MinServerVersion: "8.0"}),
		"topologies":     NewOptions().RunOn(RunOnBlock{Topologies: []TopologyKind{Sharded}}),
	} {
		mt.RunOpts(name, opts, func(mt *T) {
			ran[name] = true
			if _, err := mt.Coll.InsertOne(t.Context(), bson.Doc("x", 1)); err != nil {
				t.Error(err)
			}
		})
	}
	if len(ran) != 2 || !ran["fits"] || !ran["a block"] {
		t.Errorf("ran %v", ran)
	}
	if n, err := d.Documents("test.TestSetup/fits", nil); err != nil || len(n) != 0 {
		t.Errorf("%d documents are left: %v", len(n), err)
	}
	mt.Run("new client", func(mt *T) { // the old one cannot drop the collection any more
		if _, err := mt.Coll.InsertOne(t.Context(), bson.Doc("x", 1)); err != nil {
			t.Error(err)
		}
		mt.ResetClient(nil)
	})
	if n, err := d.Documents("test.TestSetup/new_client", nil); err != nil || len(n) != 0 {
		t.Errorf("%d documents are left after a new client: %v", len(n), err)
	}
	mt.RunOpts("encrypted", NewOptions().CollectionCreateOptions(&options.CreateCollection{EncryptedFields: bson.Doc("fields", bson.A{})}), func(*T) {})
	mt.Run("after it", func(mt *T) {
		left, err := mt.DB.ListCollectionNames(t.Context(), bson.Doc("name", bson.Doc("$regex", "^enxcol_")))
		if err != nil || len(left) > 0 {
			t.Errorf("%v are left of a collection with encrypted fields: %v", left, err)
		}
	})
	mt.RunOpts("proxy", NewOptions().ClientType(Proxy), func(mt *T) {
		first := mt.GetProxyCapture().TryNext()
		if first == nil || !first.IsHandshake() || first.Sent.Command.Lookup("client").IsZero() {
			t.Errorf("the first message is %+v", first)
		}
		mt.GetProxyCapture().Drain()
		if err := mt.Client.Ping(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		pinged := false
		for _, m := range mt.GetProxyCapture().Drain() {
			pinged = pinged || m.CommandName == "ping" && m.Sent.OpCode.String() == "OP_MSG"
		}
		if !pinged {
			t.Error("the ping is not shown")
		}
	})
}

func TestFirstHost(t *testing.T) {
	for uri, want := range map[string]string{
		"mongodb://a:1,b:2/?x=y":       "mongodb://a:1/?x=y",
		"mongodb://user:pw@a:1,b:2/db": "mongodb://user:pw@a:1/db",
		"mongodb://a":                  "mongodb://a",
	} {
		if got := firstHost(uri); got != want {
			t.Errorf("%s: %s, want %s", uri, got, want)
		}
	}
}
