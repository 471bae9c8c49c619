package mongotest_test

import (
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest"
)

// A node that limits how fast it establishes connections closes those that find the queue full.
func TestConnectionsAreAdmittedAtARate(t *testing.T) {
	d := mongotest.Start(t)
	c := connectRaw(t, d, 0)
	for name, value := range map[string]any{
		"ingressConnectionEstablishmentRatePerSec": 1, "ingressConnectionEstablishmentBurstCapacitySecs": 3.0,
		"ingressConnectionEstablishmentMaxQueueDepth": 0, "ingressConnectionEstablishmentRateLimiterEnabled": true,
	} {
		checkRefused(t, c.runAdmin("setParameter", 1, name, value), 0)
	}
	payload := opMsg(0, marshal(t, bson.Doc("ping", 1, "$db", "admin")))
	ping := append(header(16+len(payload), 1, wire.OpMsg), payload...)
	refusals := 0
	for range 20 {
		other := connectRaw(t, d, 0)
		_, _ = other.nc.Write(ping) // a closed connection gets no answer
		if other.hangsUp() {
			refusals++
		}
	}
	if refusals < 10 || refusals > 17 {
		t.Errorf("%d of 20 connections are refused, and 3 fit into the burst", refusals)
	}
	counted, _ := c.runAdmin("serverStatus", 1).Lookup("connections", "establishmentRateLimit", "rejected").AsInt64OK()
	if counted != int64(refusals) {
		t.Errorf("%d are counted, want %d", counted, refusals)
	}
	checkRefused(t, c.runAdmin("setParameter", 1, "ingressConnectionEstablishmentRateLimiterEnabled", false), 0)
	checkRefused(t, connectRaw(t, d, 0).runAdmin("ping", 1), 0)
}

func TestFailPointsOfMaxTime(t *testing.T) {
	c := connectRaw(t, mongotest.Start(t), 0)
	insertHeavy(t, c)
	find := bson.Doc("find", "heavy", "maxTimeMS", 60_000, "$db", "db")
	checkRefused(t, c.run(find), 0)
	checkRefused(t, c.runAdmin("configureFailPoint", "maxTimeAlwaysTimeOut", "mode", "alwaysOn"), 0)
	checkRefused(t, c.run(find), errcode.MaxTimeMSExpired)
	checkRefused(t, c.run(bson.Doc("find", "heavy", "$db", "db")), 0)
	for _, small := range []bson.D{
		bson.Doc("ping", 1, "$db", "db"), bson.Doc("find", "none", "$db", "db"), bson.Doc("count", "none", "$db", "db"),
		bson.Doc("insert", "other", "documents", bson.A{bson.D{}}, "$db", "db"), bson.Doc("buildInfo", 1, "$db", "db"),
		bson.Doc("listDatabases", 1, "$db", "admin"), bson.Doc("createUser", "u", "pwd", "p", "roles", bson.A{}, "$db", "db"),
	} {
		checkRefused(t, c.run(append(small, bson.E{Key: "maxTimeMS", Value: 1000})), errcode.MaxTimeMSExpired)
		checkRefused(t, c.run(small), 0)
	}
	checkRefused(t, c.runAdmin("configureFailPoint", "maxTimeAlwaysTimeOut", "mode", "off"), 0)
	checkRefused(t, c.runAdmin("configureFailPoint", "maxTimeNeverTimeOut", "mode", "alwaysOn"), 0)
	slow := bson.Doc("$expr", bson.Doc("$lt", bson.A{bson.Doc("$size", bson.Doc("$range", bson.A{0, 5_000})), 0}))
	checkRefused(t, c.run(bson.Doc("find", "heavy", "filter", slow, "maxTimeMS", 1, "$db", "db")), 0)
}

// A cursor has its own time limit, which the command that opens it and the getMores share.
func TestCursorKeepsItsTimeLimit(t *testing.T) {
	c := connectRaw(t, mongotest.Start(t), 0)
	insertHeavy(t, c)
	for name, open := range map[string]bson.D{
		"find":      bson.Doc("find", "heavy", "batchSize", 1, "maxTimeMS", 60_000, "$db", "db"),
		"aggregate": bson.Doc("aggregate", "heavy", "pipeline", bson.A{}, "cursor", bson.Doc("batchSize", 1), "maxTimeMS", 60_000, "$db", "db"),
	} {
		t.Run(name, func(t *testing.T) {
			id := c.run(open).Lookup("cursor", "id")
			more := bson.Doc("getMore", id, "collection", "heavy", "batchSize", 1, "$db", "db")
			checkRefused(t, c.run(more), 0)
			checkRefused(t, c.runAdmin("configureFailPoint", "maxTimeAlwaysTimeOut", "mode", "alwaysOn"), 0)
			checkRefused(t, c.run(more), errcode.MaxTimeMSExpired)
			checkRefused(t, c.runAdmin("configureFailPoint", "maxTimeAlwaysTimeOut", "mode", "off"), 0)
			checkRefused(t, c.run(more), errcode.CursorNotFound)
		})
	}
}

func TestCommandsOfFewWords(t *testing.T) {
	c := connectRaw(t, mongotest.Start(t, mongotest.ReplicaSet(1)), 0)
	runCases(t, c, []wireCase{
		{"connPoolStats", "admin", `{'connPoolStats':1}`, 0, "totalInUse=0"},
		{"validateDBMetadata", "db", `{'validateDBMetadata':1,'apiParameters':{'version':'1'}}`, 0, "apiVersionErrors=[]"},
		{"of no version", "db", `{'validateDBMetadata':1}`, 40414, "apiParameters"},
		{"of another version", "db", `{'validateDBMetadata':1,'apiParameters':{'version':'9'}}`, 322, "API version"},
		{"a note", "admin", `{'appendOplogNote':1,'data':{'about':'tests'}}`, 0, ""},
		{"it is there", "local", `{'count':'oplog.rs','query':{'op':'n','o.about':'tests'}}`, 0, "n=1"},
		{"a note of nothing", "admin", `{'appendOplogNote':1}`, 4, "data"},
		{"no cluster", "admin", `{'movePrimary':'db','to':'shard0'}`, 59, "no such command"},
		{"a window of history", "admin", `{'setParameter':1,'minSnapshotHistoryWindowInSeconds':600}`, 0, "was=300"},
		{"history that stays", "admin", `{'configureFailPoint':'WTPreserveSnapshotHistoryIndefinitely','mode':'alwaysOn'}`, 0, "count=0"},
		{"one that is left out", "admin", `{'replSetStepUp':1}`, 59, "mongotest does not have it"},
	})
	runCases(t, connectRaw(t, mongotest.Start(t), 0), []wireCase{{"a note without a set", "admin", `{'appendOplogNote':1,'data':{}}`, 76, "replSet"}})
	runCases(t, connectRaw(t, mongotest.Start(t, mongotest.Sharded(1)), 0), []wireCase{
		{"movePrimary", "admin", `{'movePrimary':'db','to':'shard0'}`, 0, ""},
		{"to nowhere", "admin", `{'movePrimary':'db','to':'x'}`, 70, "Shard x does not exist"},
		{"to no shard", "admin", `{'movePrimary':'db'}`, 72, "where"},
		{"of admin", "admin", `{'movePrimary':'admin','to':'shard0'}`, 72, "admin"},
	})
}
