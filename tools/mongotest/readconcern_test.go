package mongotest_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/fault"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// startLagging starts a set of three whose members 1 and 2 lack the given number of last writes, and writes three documents
// one by one.
func startLagging(t *testing.T, one, two int) (*mongotest.Deployment, *mongo.Database) {
	t.Helper()
	d := mongotest.Start(t, mongotest.ReplicaSet(3))
	db := connect(t, d).Database("db")
	d.Lag(1, one)
	d.Lag(2, two)
	alone := db.Collection("c", &options.Collection{WriteConcern: &options.WriteConcern{W: 1}})
	for i := range 3 {
		if _, err := alone.InsertOne(t.Context(), bson.Doc("_id", i)); err != nil {
			t.Fatal(err)
		}
	}
	return d, db
}

// A read sees what its read concern allows on the member that answers.
func TestReadConcernOfLaggingMembers(t *testing.T) {
	for _, test := range []struct {
		name      string
		one, two  int // writes that the secondaries lack
		secondary bool
		level     string
		want      int
	}{
		{"primary, local", 1, 1, false, "local", 3},
		{"primary, majority", 1, 2, false, "majority", 2},
		{"primary, majority, one lags", 0, 2, false, "majority", 3},
		{"primary, linearizable", 0, 2, false, "linearizable", 3},
		{"primary, snapshot", 1, 2, false, "snapshot", 2},
		{"secondary, local", 2, 2, true, "local", 1},
		{"secondary, available", 1, 1, true, "available", 2},
		{"secondary, majority", 2, 2, true, "majority", 1},
		{"secondary, up to date", 0, 0, true, "majority", 3},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, db := startLagging(t, test.one, test.two)
			var o options.RunCommand
			if test.secondary {
				o.ReadPreference = &options.ReadPreference{Mode: options.Secondary}
			}
			reply, err := db.RunCommand(t.Context(), bson.Doc("find", "c", "readConcern", bson.Doc("level", test.level)), &o).Raw()
			if err != nil {
				t.Fatal(err)
			}
			batch, _ := reply.Lookup("cursor", "firstBatch").ArrayOK()
			got := 0
			for range batch.All() {
				got++
			}
			if got != test.want {
				t.Errorf("%d documents, want %d", got, test.want)
			}
			if at := reply.Lookup("cursor", "atClusterTime"); at.IsZero() == (test.level == "snapshot") {
				t.Errorf("atClusterTime is %v", at)
			}
		})
	}
}

// A lagging member cannot count towards a majority. It cannot answer a linearizable read, or a causally consistent one
// in time.
func TestLaggingMembersCannot(t *testing.T) {
	d, db := startLagging(t, 1, 1)
	insert := bson.Doc("insert", "c", "documents", bson.A{bson.Doc("_id", 9)}, "writeConcern", bson.Doc("w", "majority", "wtimeout", 20))
	reply, err := db.RunCommand(t.Context(), insert).Raw()
	if err == nil {
		if code, _ := reply.Lookup("writeConcernError", "code").AsInt64OK(); code != int64(errcode.WriteConcernTimeout) {
			t.Errorf("%v", reply)
		}
	} else if !fault.HasErrorCode(err, errcode.WriteConcernTimeout) {
		t.Error(err)
	}
	reply, err = db.RunCommand(t.Context(), bson.Doc("ping", 1)).Raw()
	if err != nil {
		t.Fatal(err)
	}
	sec, inc, _ := reply.Lookup("operationTime").TimestampOK()
	secondary := &options.RunCommand{ReadPreference: &options.ReadPreference{Mode: options.Secondary}}
	after := bson.Doc("find", "c", "readConcern", bson.Doc("afterClusterTime", bson.Timestamp{T: sec, I: inc}), "maxTimeMS", 30)
	for _, test := range []struct {
		name    string
		command bson.D
		want    errcode.Code
	}{
		{"linearizable", bson.Doc("find", "c", "readConcern", bson.Doc("level", "linearizable")), errcode.NotWritablePrimary},
		{"causally consistent", after, errcode.MaxTimeMSExpired},
		{"no such level", bson.Doc("find", "c", "readConcern", bson.Doc("level", "strong")), errcode.BadValue},
	} {
		if err := db.RunCommand(t.Context(), test.command, secondary).Err(); !fault.HasErrorCode(err, test.want) {
			t.Errorf("%s: %v, want code %d", test.name, err, test.want)
		}
	}
	d.Lag(1, 0)
	d.Lag(2, 0)
	if err := db.RunCommand(t.Context(), after, secondary).Err(); err != nil {
		t.Errorf("caught up: %v", err)
	}
}

// Which read concerns a command may have depends on the command, the version and the topology.
func TestReadConcernThatIsRefused(t *testing.T) {
	standalone, set, sharded := mongotest.Standalone(), mongotest.ReplicaSet(1), mongotest.Sharded(1)
	for _, test := range []struct {
		name, version string
		kind          mongotest.Option
		command       string
		code          errcode.Code
		text          string
	}{
		{"no document", "8.0", set, `{find:'c',readConcern:1}`, errcode.FailedToParse, "readConcern field should be an object"},
		{"unknown level", "8.0", set, `{find:'c',readConcern:{level:'strong'}}`, errcode.BadValue, "Enumeration value 'strong' for field 'readConcern.level' is not a valid value."},
		{"unknown level, 4.4", "4.4", set, `{find:'c',readConcern:{level:'strong'}}`, errcode.FailedToParse, "readConcern.level must be either"},
		{"level of a number", "8.0", set, `{find:'c',readConcern:{level:1}}`, errcode.TypeMismatch, ""},
		{"unknown field", "4.4", set, `{find:'c',readConcern:{x:1}}`, errcode.InvalidOptions, "Unrecognized option in readConcern: x"},
		{"unknown field, 8.0", "8.0", set, `{find:'c',readConcern:{x:1}}`, 40415, "BSON field 'readConcern.x' is an unknown field."},
		{"both times", "8.0", set, `{find:'c',readConcern:{level:'snapshot',afterClusterTime:{$timestamp:{t:1,i:1}},atClusterTime:{$timestamp:{t:1,i:1}}}}`, errcode.InvalidOptions, "Specifying a timestamp for readConcern snapshot in a causally consistent session is not allowed."},
		{"after, linearizable", "8.0", set, `{find:'c',readConcern:{level:'linearizable',afterClusterTime:{$timestamp:{t:1,i:1}}}}`, errcode.InvalidOptions, "afterClusterTime field can be set only if level is equal to majority, local, or snapshot"},
		{"after, available", "8.0", set, `{find:'c',readConcern:{level:'available',afterClusterTime:{$timestamp:{t:1,i:1}}}}`, errcode.InvalidOptions, "afterClusterTime field can be set only if"},
		{"after, of a date", "8.0", set, `{find:'c',readConcern:{afterClusterTime:5}}`, errcode.TypeMismatch, ""},
		{"after, null", "8.0", set, `{find:'c',readConcern:{afterClusterTime:{$timestamp:{t:0,i:0}}}}`, errcode.InvalidOptions, "afterClusterTime cannot be a null timestamp"},
		{"after, long ago", "8.0", set, `{find:'c',readConcern:{afterClusterTime:{$timestamp:{t:1,i:1}}}}`, 0, ""},
		{"after, in the future", "8.0", set, `{find:'c',readConcern:{afterClusterTime:{$timestamp:{t:4000000000,i:1}}}}`, errcode.InvalidOptions, "readConcern afterClusterTime value must not be greater than the current clusterTime. Requested clusterTime: { ts: Timestamp(4000000000, 1) }"},
		{"at, in the future", "8.0", sharded, `{find:'c',readConcern:{level:'snapshot',atClusterTime:{$timestamp:{t:4000000000,i:1}}}}`, errcode.InvalidOptions, "readConcern atClusterTime value must not be greater than the current clusterTime."},
		{"at, without snapshot", "8.0", set, `{find:'c',readConcern:{level:'majority',atClusterTime:{$timestamp:{t:1,i:1}}}}`, errcode.InvalidOptions, "atClusterTime field can be set only if level is equal to snapshot"},
		{"at, long ago", "8.0", set, `{find:'c',readConcern:{level:'snapshot',atClusterTime:{$timestamp:{t:1,i:1}}}}`, errcode.SnapshotTooOld, ""},
		{"snapshot, 4.4", "4.4", set, `{find:'c',readConcern:{level:'snapshot'}}`, errcode.InvalidOptions, "readConcern level snapshot is only valid in multi-statement transactions"},
		{"snapshot of a count", "8.0", set, `{count:'c',readConcern:{level:'snapshot'}}`, errcode.InvalidOptions, `Command count does not support { readConcern: { level: "snapshot", provenance: "clientSupplied" } } :: caused by :: read concern snapshot not supported`},
		{"majority of a write", "8.0", set, `{insert:'c',documents:[{}],readConcern:{level:'majority'}}`, errcode.InvalidOptions, `Command insert does not support { readConcern: { level: "majority", provenance: "clientSupplied" } } :: caused by :: read concern not supported`},
		{"majority of a write, 4.2", "4.2", set, `{insert:'c',documents:[{}],readConcern:{level:'majority'}}`, errcode.InvalidOptions, `Command does not support read concern { readConcern: { level: "majority" } }`},
		{"local of a write", "8.0", set, `{insert:'c',documents:[{}],readConcern:{level:'local'}}`, 0, ""},
		{"majority of a list", "8.0", set, `{listCollections:1,readConcern:{level:'majority'}}`, errcode.InvalidOptions, "read concern not supported"},
		{"majority, standalone", "8.0", standalone, `{find:'c',readConcern:{level:'majority'}}`, 0, ""},
		{"linearizable, standalone", "8.0", standalone, `{find:'c',readConcern:{level:'linearizable'}}`, errcode.NotAReplicaSet, "node needs to be a replica set member to use read concern"},
		{"snapshot, standalone", "8.0", standalone, `{find:'c',readConcern:{level:'snapshot'}}`, errcode.NotAReplicaSet, "node needs to be a replica set member to use readConcern: snapshot"},
		{"after, standalone", "8.0", standalone, `{find:'c',readConcern:{afterClusterTime:{$timestamp:{t:1,i:1}}}}`, errcode.IllegalOperation, "Cannot specify afterClusterTime readConcern without replication enabled"},
		{"linearizable, sharded", "8.0", sharded, `{find:'c',readConcern:{level:'linearizable'}}`, 0, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := connectRaw(t, mongotest.Start(t, test.kind, mongotest.Version(test.version)), 0)
			reply := c.runInDB(test.command)
			text, _ := reply.Lookup("errmsg").StringOK()
			if codeOf(reply) != test.code || !strings.Contains(text, test.text) {
				t.Errorf("%v, want code %d, %q", reply, test.code, test.text)
			}
		})
	}
}

// A snapshot has a time at which clients can read it again, from members and through a router, whatever others write
// meanwhile.
func TestSnapshotIsReadAgain(t *testing.T) {
	for name, kind := range map[string]mongotest.Option{"replica set": mongotest.ReplicaSet(1), "sharded": mongotest.Sharded(1)} {
		t.Run(name, func(t *testing.T) {
			c := connectRaw(t, mongotest.Start(t, kind), 0)
			c.runInDB(`{insert:'c',documents:[{_id:1},{_id:2},{_id:3}]}`)
			first := c.runInDB(`{find:'c',batchSize:1,readConcern:{level:'snapshot'}}`)
			sec, inc, ok := first.Lookup("cursor", "atClusterTime").TimestampOK()
			if !ok {
				t.Fatalf("%v", first)
			}
			c.runInDB(`{delete:'c',deletes:[{q:{_id:2},limit:1}]}`)
			c.runInDB(`{insert:'c',documents:[{_id:4}]}`)
			id, _ := first.Lookup("cursor", "id").AsInt64OK()
			next := c.runInDB(fmt.Sprintf(`{getMore:{$numberLong:'%d'},collection:'c'}`, id))
			checkSame(t, "the next batch", next.Lookup("cursor", "nextBatch"), `[{_id:2},{_id:3}]`)
			checkSame(t, "its atClusterTime", next.Lookup("cursor", "atClusterTime"), fmt.Sprintf(`{$timestamp:{t:%d,i:%d}}`, sec, inc))
			point := c.runInDB(`{find:'c',filter:{_id:1},readConcern:{level:'snapshot'}}`)
			if at := point.Lookup("cursor", "atClusterTime"); at.IsZero() {
				t.Errorf("%v", point)
			}
			again := fmt.Sprintf(`readConcern:{level:'snapshot',atClusterTime:{$timestamp:{t:%d,i:%d}}}`, sec, inc)
			checkSame(t, "find", c.runInDB(`{find:'c',`+again+`}`).Lookup("cursor", "firstBatch"), `[{_id:1},{_id:2},{_id:3}]`)
			checkSame(t, "aggregate", c.runInDB(`{aggregate:'c',pipeline:[{$count:'n'}],cursor:{},`+again+`}`).Lookup("cursor", "firstBatch"), `[{n:3}]`)
			distinct := c.runInDB(`{distinct:'c',key:'_id',` + again + `}`)
			checkSame(t, "distinct", distinct.Lookup("values"), `[1,2,3]`)
			if s, i, _ := distinct.Lookup("atClusterTime").TimestampOK(); s != sec || i != inc {
				t.Errorf("distinct read at %d, %d", s, i)
			}
		})
	}
}

// When the set has not yet reached a time that a client sends, it writes a no-op entry to reach it, on secondaries too.
func TestAfterClusterTimeThatWasOnlyHeardOf(t *testing.T) {
	d := mongotest.Start(t, mongotest.ReplicaSet(2))
	at := fmt.Sprintf(`{$timestamp:{t:%d,i:5}}`, time.Now().Unix()+100)
	reply := connectRaw(t, d, 1).runInDB(`{find:'c',$readPreference:{mode:'secondary'},readConcern:{afterClusterTime:` + at + `},$clusterTime:{clusterTime:` + at +
		`,signature:{hash:{$binary:{base64:'AAAAAAAAAAAAAAAAAAAAAAAAAAA=',subType:'00'}},keyId:{$numberLong:'0'}}}}`)
	sec, inc, _ := reply.Lookup("operationTime").TimestampOK()
	want, _, _ := parseExtJSON(t, `{v:`+at+`}`).Lookup("v").TimestampOK()
	if codeOf(reply) != 0 || sec < want || sec == want && inc < 5 {
		t.Errorf("%v, want an operationTime of %d at least", reply, want)
	}
}

// A read at a time between two writes reports that time, not the time of the earlier write.
func TestReadTimeIsTheOneAskedFor(t *testing.T) {
	c := connectRaw(t, mongotest.Start(t, mongotest.ReplicaSet(1)), 0)
	c.runInDB(`{insert:'c',documents:[{_id:1}]}`)
	at := fmt.Sprintf(`{$timestamp:{t:%d,i:5}}`, time.Now().Unix()+100)
	reply := c.runInDB(`{find:'c',readConcern:{level:'snapshot',atClusterTime:` + at + `},$clusterTime:{clusterTime:` + at +
		`,signature:{hash:{$binary:{base64:'AAAAAAAAAAAAAAAAAAAAAAAAAAA=',subType:'00'}},keyId:{$numberLong:'0'}}}}`)
	checkSame(t, "atClusterTime", reply.Lookup("cursor", "atClusterTime"), at)
	checkSame(t, "firstBatch", reply.Lookup("cursor", "firstBatch"), `[{_id:1}]`)
}

// A linearizable read waits until a majority has what the primary has.
func TestLinearizableReadWaits(t *testing.T) {
	d, _ := startLagging(t, 1, 1)
	c := connectRaw(t, d, 0)
	checkRefused(t, c.runInDB(`{find:'c',readConcern:{level:'linearizable'},maxTimeMS:10}`), errcode.MaxTimeMSExpired)
	c.send(0, parseInDB(t, `{count:'c',readConcern:{level:'linearizable'}}`))
	d.Lag(2, 0)
	checkSame(t, "n", c.receive().body.Lookup("n"), "3")
}

// A member that was killed or cut off keeps its state until it is back.
func TestMembersStopWhereTheyAre(t *testing.T) {
	for name, away := range map[string]func(d *mongotest.Deployment, i int) (back func()){
		"killed": func(d *mongotest.Deployment, i int) func() {
			d.Kill(i)
			return func() {
				if err := d.Restart(i); err != nil {
					t.Error(err)
				}
			}
		},
		"cut off": func(d *mongotest.Deployment, i int) func() {
			d.Partition(i, time.Hour)
			return func() { d.Partition(i, 0) }
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := mongotest.Start(t, mongotest.ReplicaSet(5))
			c := connectRaw(t, d, 0)
			c.runInDB(`{insert:'c',documents:[{_id:1}]}`)
			d.Lag(1, 1)
			d.Lag(2, 1)
			back := away(d, 3)
			c.runInDB(`{insert:'c',documents:[{_id:2}],writeConcern:{w:1}}`)
			checkSame(t, "with two behind and one away", c.runInDB(`{count:'c',readConcern:{level:'majority'}}`).Lookup("n"), "1")
			c.send(0, parseInDB(t, `{insert:'c',documents:[{_id:3}],writeConcern:{w:'majority'}}`))
			back()
			if reply := c.receive().body; !reply.Lookup("writeConcernError").IsZero() {
				t.Errorf("%v", reply)
			}
			checkSame(t, "with two behind", c.runInDB(`{count:'c',readConcern:{level:'majority'}}`).Lookup("n"), "3")
		})
	}
}
