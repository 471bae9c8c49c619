package mongotest_test

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest"
)

// releases lists the server versions that a deployment can report, with the wire versions of the real servers.
var releases = []struct {
	version string
	wire    int32
}{{"4.2", 8}, {"4.4", 9}, {"5.0", 13}, {"6.0", 17}, {"7.0", 21}, {"8.0", 25}, {"8.2", 27}, {"9.0", 29}}

// anything stands for a value that differs each time.
type anything struct{}

// checkFields compares a reply with the expected fields, including their types.
func checkFields(t *testing.T, reply bson.Raw, want map[string]any) {
	t.Helper()
	var got map[string]any
	if err := bson.Unmarshal(reply, &got); err != nil {
		t.Fatal(err)
	}
	names := maps.Clone(want)
	maps.Copy(names, got)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		have, there := got[name]
		wanted, expected := want[name]
		switch _, free := wanted.(anything); {
		case there && !expected:
			t.Errorf("%s is %v, want none", name, have)
		case !there:
			t.Errorf("%s is missing, want %v", name, wanted)
		case !free && !reflect.DeepEqual(have, wanted):
			t.Errorf("%s is %v (%T), want %v (%T)", name, have, have, wanted, wanted)
		}
	}
}

// helloFields returns what every server of a wire version answers.
func helloFields(maxWire int32) map[string]any {
	fields := map[string]any{
		"maxBsonObjectSize": int32(16777216), "maxMessageSizeBytes": int32(48000000), "maxWriteBatchSize": int32(100000),
		"localTime": anything{}, "logicalSessionTimeoutMinutes": int32(30), "connectionId": anything{},
		"minWireVersion": int32(0), "maxWireVersion": maxWire, "ok": 1.0,
	}
	if maxWire >= 9 {
		fields["topologyVersion"] = anything{}
		fields["helloOk"] = true
	}
	return fields
}

func withFields(fields map[string]any, kv ...any) map[string]any {
	fields = maps.Clone(fields)
	for i := 0; i < len(kv); i += 2 {
		fields[kv[i].(string)] = kv[i+1]
	}
	return fields
}

// helloShapes lists the kinds of deployments, and the fields that the hello of each adds.
var helloShapes = []struct {
	name    string
	since   int32
	options []mongotest.Option
	fields  func(d *mongotest.Deployment, node int) map[string]any
}{
	{"standalone", 0, []mongotest.Option{mongotest.Standalone()}, func(*mongotest.Deployment, int) map[string]any {
		return map[string]any{"isWritablePrimary": true, "readOnly": false}
	}},
	{"replica set", 0, []mongotest.Option{mongotest.ReplicaSet(3), mongotest.SetName("blue")}, func(d *mongotest.Deployment, node int) map[string]any {
		hosts := bson.A{}
		for _, h := range d.Hosts() {
			hosts = append(hosts, h)
		}
		fields := map[string]any{
			"isWritablePrimary": node == 0, "secondary": node != 0, "readOnly": false, "hosts": hosts, "setName": "blue",
			"setVersion": int32(1), "primary": d.Hosts()[0], "me": d.Hosts()[node], "lastWrite": anything{},
			"$clusterTime": anything{}, "operationTime": anything{},
		}
		if node == 0 {
			fields["electionId"] = bson.ObjectID{0x7f, 0xff, 0xff, 0xff, 0, 0, 0, 0, 0, 0, 0, 1}
		}
		return fields
	}},
	{"sharded", 0, []mongotest.Option{mongotest.Sharded(2)}, func(*mongotest.Deployment, int) map[string]any {
		return map[string]any{"isWritablePrimary": true, "msg": "isdbgrid", "$clusterTime": anything{}, "operationTime": anything{}}
	}},
	{"load balanced", 13, []mongotest.Option{mongotest.LoadBalanced(2)}, func(*mongotest.Deployment, int) map[string]any {
		return map[string]any{"isWritablePrimary": true, "msg": "isdbgrid", "$clusterTime": anything{}, "operationTime": anything{}, "serviceId": anything{}}
	}},
}

// The test sends a hello to every version and topology, by each of its names, in both kinds of messages.
func TestHelloFieldByField(t *testing.T) {
	for _, release := range releases {
		for _, shape := range helloShapes {
			if release.wire < shape.since {
				continue
			}
			t.Run(release.version+" "+shape.name, func(t *testing.T) {
				d := mongotest.Start(t, append([]mongotest.Option{mongotest.Version(release.version)}, shape.options...)...)
				for node := range d.Hosts() {
					want := helloFields(release.wire)
					maps.Copy(want, shape.fields(d, node))
					legacy := withFields(want, "ismaster", want["isWritablePrimary"])
					delete(legacy, "isWritablePrimary")
					for _, name := range []string{"hello", "isMaster", "ismaster"} {
						greet := bson.Doc(name, 1, "helloOk", true, "loadBalanced", shape.name == "load balanced")
						for _, reply := range []bson.Raw{
							connectRaw(t, d, node).run(append(greet, bson.E{Key: "$db", Value: "admin"})), connectRaw(t, d, node).query(greet).body,
						} {
							switch {
							case name == "hello" && release.version == "4.2":
								checkRefused(t, reply, errcode.CommandNotFound)
							case name == "hello":
								checkFields(t, reply, want)
							default:
								checkFields(t, reply, legacy)
							}
						}
					}
				}
			})
		}
	}
}

// A reply has helloOk only if the request asked for it.
func TestHelloOkIsAnAnswer(t *testing.T) {
	c := connectRaw(t, mongotest.Start(t), 0)
	if v := c.runAdmin("isMaster", 1).Lookup("helloOk"); !v.IsZero() {
		t.Errorf("helloOk is %v", v)
	}
}

// Servers call their primary a master before 5.0, and also to clients that have not said that they support hello.
func TestWordsForThePrimary(t *testing.T) {
	for _, test := range []struct {
		version, name string
		helloOk       bool
		write, read   string
	}{
		{"4.2", "NotMaster", true, "not master", "not master and slaveOk=false"},
		{"4.4", "NotMaster", false, "not master", "not master and slaveOk=false"},
		{"4.4", "NotMaster", true, "not primary", "not primary and secondaryOk=false"},
		{"5.0", "NotWritablePrimary", false, "not master", "not master and slaveOk=false"},
		{"8.0", "NotWritablePrimary", true, "not primary", "not primary and secondaryOk=false"},
	} {
		t.Run(test.version, func(t *testing.T) {
			d := mongotest.Start(t, mongotest.ReplicaSet(2), mongotest.Version(test.version))
			c := connectRaw(t, d, 1)
			if test.helloOk {
				c.runAdmin("isMaster", 1, "helloOk", true)
			}
			write, read := c.run(insertOne(1)), c.run(bson.Doc("count", "c", "$db", "db"))
			name, _ := write.Lookup("codeName").StringOK()
			wrote, _ := write.Lookup("errmsg").StringOK()
			if red, _ := read.Lookup("errmsg").StringOK(); name != test.name || wrote != test.write || red != test.read {
				t.Errorf("%v, %v", write, read)
			}
		})
	}
}

// The hello of a member depends on its place in the configuration.
func TestHelloOfSpecialMembers(t *testing.T) {
	d := mongotest.Start(t, mongotest.ReplicaSet(6))
	hosts := d.Hosts()
	if err := d.Reconfigure(
		mongotest.Member{Node: 0, Priority: 2, Tags: map[string]string{"dc": "ny"}}, mongotest.Member{Node: 1, Priority: 1},
		mongotest.Member{Node: 2, Arbiter: true}, mongotest.Member{Node: 3}, mongotest.Member{Node: 4, Hidden: true},
	); err != nil {
		t.Fatal(err)
	}
	set := withFields(helloFields(25), "readOnly", false, "hosts", bson.A{hosts[0], hosts[1]}, "arbiters", bson.A{hosts[2]},
		"passives", bson.A{hosts[3]}, "setName", "rs0", "setVersion", int32(2), "primary", hosts[0], "lastWrite", anything{},
		"$clusterTime", anything{}, "operationTime", anything{}, "isWritablePrimary", false, "secondary", true)
	delete(set, "helloOk")
	for node, want := range []map[string]any{
		withFields(set, "isWritablePrimary", true, "secondary", false, "tags", bson.Doc("dc", "ny"), "electionId", anything{}),
		set,
		withFields(set, "secondary", false, "arbiterOnly", true),
		withFields(set, "passive", true),
		withFields(set, "passive", true, "hidden", true),
	} {
		checkFields(t, connectRaw(t, d, node).runAdmin("hello", 1), withFields(want, "me", hosts[node]))
	}
	removed := withFields(helloFields(25), "readOnly", false, "isWritablePrimary", false,
		"secondary", false, "info", "Does not have a valid replica set config", "isreplicaset", true,
		"$clusterTime", anything{}, "operationTime", anything{})
	delete(removed, "helloOk")
	checkFields(t, connectRaw(t, d, 5).runAdmin("hello", 1), removed)
	if date, _ := connectRaw(t, d, 2).runAdmin("hello", 1).Lookup("lastWrite", "lastWriteDate").DateTimeOK(); date != 0 {
		t.Errorf("an arbiter has writes, the last at %d", date)
	}
}

// A lagging member reports an older last write than the primary does.
func TestHelloTellsTheLastWrite(t *testing.T) {
	d := mongotest.Start(t, mongotest.ReplicaSet(3))
	c := connectRaw(t, d, 0)
	d.Lag(1, 1)
	d.Lag(2, 2)
	for i := range 3 {
		checkRefused(t, c.runInDB(fmt.Sprintf(`{insert:'c',documents:[{_id:%d}],writeConcern:{w:1}}`, i)), 0)
	}
	opTime := func(node int, name string) bson.Timestamp {
		s, i, _ := connectRaw(t, d, node).runAdmin("hello", 1).Lookup("lastWrite", name, "ts").TimestampOK()
		return bson.Timestamp{T: s, I: i}
	}
	first, second, third := opTime(0, "opTime"), opTime(1, "opTime"), opTime(2, "opTime")
	if !first.After(second) || !second.After(third) {
		t.Errorf("the members are at %v, %v, %v", first, second, third)
	}
	if majority := opTime(0, "majorityOpTime"); majority != second {
		t.Errorf("the majority is at %v, want %v", majority, second)
	}
}

func TestHelloNegotiatesCompression(t *testing.T) {
	d := mongotest.Start(t)
	for _, test := range []struct {
		name    string
		offered bson.A
		want    bson.A
	}{
		{"all, in the client's order", bson.A{"zstd", "snappy", "zlib"}, bson.A{"zstd", "snappy", "zlib"}},
		{"one unknown", bson.A{"lzo", "zlib"}, bson.A{"zlib"}},
		{"noop", bson.A{"noop"}, nil},
		{"none", bson.A{}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := connectRaw(t, d, 0)
			// The second hello asks for nothing and gets what was agreed.
			for _, reply := range []bson.Raw{c.runAdmin("hello", 1, "compression", test.offered), c.runAdmin("hello", 1)} {
				want := withFields(helloFields(25), "readOnly", false, "isWritablePrimary", true)
				delete(want, "helloOk")
				if test.want != nil {
					want["compression"] = test.want
				}
				checkFields(t, reply, want)
			}
		})
	}
}

func TestHelloNamesTheMechanismsOfAUser(t *testing.T) {
	d := mongotest.Start(t, mongotest.Auth("ada", "x"), mongotest.WithUser(mongotest.User{Name: "b.c", DB: "db", Password: "x", Mechanisms: []string{"SCRAM-SHA-1"}}))
	for _, test := range []struct {
		user string
		want bson.A
		code errcode.Code
	}{
		{"admin.ada", bson.A{"SCRAM-SHA-1", "SCRAM-SHA-256"}, 0},
		{"db.b.c", bson.A{"SCRAM-SHA-1"}, 0},
		{"admin.nobody", nil, 0},
		{"ada", nil, errcode.BadValue},
	} {
		t.Run(test.user, func(t *testing.T) {
			reply := connectRaw(t, d, 0).runAdmin("hello", 1, "saslSupportedMechs", test.user)
			checkRefused(t, reply, test.code)
			var got struct {
				Mechanisms bson.A `bson:"saslSupportedMechs"`
			}
			if err := bson.Unmarshal(reply, &got); err != nil || !reflect.DeepEqual(got.Mechanisms, test.want) {
				t.Errorf("%v, %v, want %v", got.Mechanisms, err, test.want)
			}
		})
	}
}

// The server checks the metadata of a client, and takes it from the first hello only.
func TestHelloChecksClientMetadata(t *testing.T) {
	metadata := func(application any, pad int) bson.D {
		doc := bson.Doc("driver", bson.Doc("name", "n", "version", "1"), "os", bson.Doc("type", "Linux"), "pad", string(make([]byte, pad)))
		if application != nil {
			doc = append(doc, bson.E{Key: "application", Value: application})
		}
		return doc
	}
	mongod, mongos := mongotest.Start(t), mongotest.Start(t, mongotest.Sharded(1))
	for _, test := range []struct {
		name   string
		client any
		router bool
		want   errcode.Code
	}{
		{"complete", metadata(bson.Doc("name", "shop"), 0), false, 0},
		{"without an application", metadata(nil, 0), false, 0},
		{"an application without a name", metadata(bson.D{}, 0), false, 0},
		{"long for a mongos", metadata(nil, 600), false, 0},
		{"too long for a mongos", metadata(nil, 600), true, errcode.ClientMetadataDocumentTooLarge},
		{"too long", metadata(nil, 1100), false, errcode.ClientMetadataDocumentTooLarge},
		{"the longest name", metadata(bson.Doc("name", string(make([]byte, 128))), 0), false, 0},
		{"a name that is too long", metadata(bson.Doc("name", string(make([]byte, 129))), 0), false, errcode.ClientMetadataAppNameTooLarge},
		{"a name that is no string", metadata(bson.Doc("name", 1), 0), false, errcode.TypeMismatch},
		{"an application that is no document", metadata("shop", 0), false, errcode.TypeMismatch},
		{"without a driver", bson.Doc("os", bson.Doc("type", "Linux")), false, errcode.ClientMetadataMissingField},
		{"without the driver's version", bson.Doc("driver", bson.Doc("name", "n"), "os", bson.Doc("type", "Linux")), false, errcode.ClientMetadataMissingField},
		{"without an operating system", bson.Doc("driver", bson.Doc("name", "n", "version", "1")), false, errcode.ClientMetadataMissingField},
		{"no document", "shop", false, errcode.TypeMismatch},
	} {
		t.Run(test.name, func(t *testing.T) {
			d := mongod
			if test.router {
				d = mongos
			}
			checkRefused(t, connectRaw(t, d, 0).runAdmin("hello", 1, "client", test.client), test.want)
		})
	}
	c := connectRaw(t, mongod, 0)
	checkRefused(t, c.runAdmin("hello", 1), 0)
	checkRefused(t, c.runAdmin("hello", 1, "client", metadata(nil, 0)), errcode.ClientMetadataCannotBeMutated)
	checkRefused(t, c.runAdmin("hello", 1), 0)
}

func TestHelloSpeculates(t *testing.T) {
	d := mongotest.Start(t, mongotest.Auth("ada", "x"))
	start := bson.Doc("saslStart", 1, "mechanism", "SCRAM-SHA-256", "payload", bson.Binary{Data: []byte("n,,n=ada,r=abcdefgh")}, "db", "admin")
	for _, test := range []struct {
		name  string
		value any
		there bool
		want  errcode.Code
	}{
		{"a user", start, true, 0},
		{"a failure is not mentioned", bson.Doc("saslStart", 1, "mechanism", "SCRAM-SHA-256", "payload", bson.Binary{Data: []byte("n,,n=bob,r=abcdefgh")}, "db", "admin"), false, 0},
		{"an unknown command", bson.Doc("ping", 1), false, errcode.Location51769},
		{"nothing", bson.D{}, false, errcode.BadValue},
		{"no document", "saslStart", false, errcode.BadValue},
	} {
		t.Run(test.name, func(t *testing.T) {
			reply := connectRaw(t, d, 0).runAdmin("hello", 1, "speculativeAuthenticate", test.value)
			checkRefused(t, reply, test.want)
			if got := !reply.Lookup("speculativeAuthenticate", "conversationId").IsZero(); got != test.there {
				t.Errorf("%v", reply)
			}
		})
	}
	old := connectRaw(t, mongotest.Start(t, mongotest.Auth("ada", "x"), mongotest.Version("4.2")), 0).runAdmin("isMaster", 1, "speculativeAuthenticate", start)
	if v := old.Lookup("speculativeAuthenticate"); !v.IsZero() {
		t.Errorf("4.2 speculates: %v", v)
	}
}

// A router behind a load balancer returns its serviceId in the first hello. Each router has its own.
func TestServiceIdsOfRouters(t *testing.T) {
	d := mongotest.Start(t, mongotest.LoadBalanced(2))
	var ids []bson.ObjectID
	for range 4 {
		c := connectRaw(t, d, 0)
		id, ok := c.runAdmin("hello", 1, "loadBalanced", true).Lookup("serviceId").ObjectIDOK()
		if !ok {
			t.Fatal("no serviceId")
		}
		ids = append(ids, id)
		if v := c.runAdmin("hello", 1, "loadBalanced", true).Lookup("serviceId"); !v.IsZero() {
			t.Errorf("the second hello has %v", v)
		}
	}
	if ids[0] != ids[2] || ids[1] != ids[3] || ids[0] == ids[1] {
		t.Errorf("%v, want two routers in turns", ids)
	}
	c := connectRaw(t, d, 0)
	checkRefused(t, c.runAdmin("hello", 1), errcode.LoadBalancerSupportMismatch)
	if !c.hangsUp() {
		t.Error("a client that does not know of the load balancer stays connected")
	}
	// A server without a load balancer ignores loadBalanced.
	if v := connectRaw(t, mongotest.Start(t, mongotest.Sharded(1)), 0).runAdmin("hello", 1, "loadBalanced", true).Lookup("serviceId"); !v.IsZero() {
		t.Errorf("serviceId %v", v)
	}
}
