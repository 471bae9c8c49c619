// The command serverStatus: describes the process, its connections, its work and its role in a replica set.
//
// Left out: most metrics. Locks and storage are zeros, because monitors need these fields to run.

package server

import (
	"context"
	"maps"
	"math"
	"os"
	"runtime"
	"slices"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/tools/mongotest/internal/reply"
)

func serverStatus(_ context.Context, r *request) (bson.Raw, error) {
	k, n := r.cluster, &r.node.counters
	program := "mongod"
	if k.IsRouter() {
		program = "mongos"
	}
	up := k.Now().Sub(k.clock.StartTime())
	open, active := int32(len(r.node.connections())), int32(len(r.node.operations(false)))
	f := reply.New().String("host", r.node.Address()).String("version", k.fullVersion()).String("process", program).
		Value("service", bson.A{program}).Int64("pid", int64(os.Getpid())).
		Value("uptime", math.Floor(up.Seconds())).Int64("uptimeMillis", up.Milliseconds()).Int64("uptimeEstimate", int64(up.Seconds())).
		Date("localTime", k.Now().UnixMilli()).
		Value("asserts", bson.Doc("regular", int32(0), "warning", int32(0), "msg", int32(0), "user", int32(n.userErrors.Load()),
			"tripwire", int32(0), "rollovers", int32(0))).
		Value("connections", bson.Doc("current", open, "available", int32(1000), "totalCreated", n.opened.Load(),
			"active", active, "establishmentRateLimit", bson.Doc("rejected", r.node.admission.refusedCount()))).
		Value("extra_info", bson.Doc("note", "fields vary by platform", "page_faults", int64(0))).
		Value("globalLock", bson.Doc("totalTime", up.Microseconds(),
			"currentQueue", bson.Doc("total", int32(0), "readers", int32(0), "writers", int32(0)),
			"activeClients", bson.Doc("total", active, "readers", int32(0), "writers", int32(0)))).
		Value("network", bson.Doc("bytesIn", n.bytesIn.Load(), "bytesOut", n.bytesOut.Load(), "physicalBytesIn", n.bytesIn.Load(),
			"physicalBytesOut", n.bytesOut.Load(), "numRequests", n.requests.Load())).
		Value("opcounters", bson.Doc("insert", n.inserts.Load(), "query", n.queries.Load(), "update", n.updates.Load(),
			"delete", n.deletes.Load(), "getmore", n.getMores.Load(), "command", n.commands.Load()))
	r.describeRole(f)
	started, committed, aborted := n.started.Load(), n.committed.Load(), n.aborted.Load()
	current := max(started-committed-aborted, 0)
	f.Value("transactions", bson.Doc("currentActive", int64(0), "currentInactive", current, "currentOpen", current,
		"totalStarted", started, "totalCommitted", committed, "totalAborted", aborted))
	r.describeStorage(f)
	if !k.IsRouter() {
		f.Value("catalogStats", r.catalogStats())
	}
	return f.Value("mem", memory()).Value("metrics", r.metrics()).Done(), nil
}

// catalogStats counts the collections by their kinds. Those of the databases admin, config and local are internal.
func (r *request) catalogStats() bson.D {
	var collections, capped, clustered, series, views, internal int32
	snapshot := r.cluster.store.Latest()
	for _, db := range snapshot.Databases() {
		for _, c := range snapshot.Collections(db) {
			options := c.Options.Document
			switch {
			case db == "admin", db == "config", db == "local":
				internal++
				continue
			case c.IsView():
				views++
				continue
			case options != nil && !options.Lookup("timeseries").IsZero():
				series++
			case options != nil && !options.Lookup("clusteredIndex").IsZero():
				clustered++
			}
			if collections++; c.Options.Capped {
				capped++
			}
		}
	}
	return bson.Doc("collections", collections, "capped", capped, "clustered", clustered, "timeseries", series, "views", views,
		"internalCollections", internal, "internalViews", int32(0))
}

// describeStorage appends the fields on locks and storage that monitors read.
func (r *request) describeStorage(f *reply.Fields) {
	acquired := bson.Doc("acquireCount", bson.Doc("r", int64(0), "w", int64(0)))
	f.Value("locks", bson.Doc("Global", acquired, "Database", acquired, "Collection", acquired)).
		Value("logicalSessionRecordCache", bson.Doc("activeSessionsCount", int32(r.cluster.sessions.Count()),
			"sessionsCollectionJobCount", int32(0), "transactionReaperJobCount", int32(0), "sessionCatalogSize",
			int32(r.cluster.sessions.Count()))).
		Value("opLatencies", bson.Doc("reads", bson.Doc("latency", int64(0), "ops", r.node.counters.queries.Load()),
			"writes", bson.Doc("latency", int64(0), "ops", r.node.counters.inserts.Load()),
			"commands", bson.Doc("latency", int64(0), "ops", r.node.counters.commands.Load())))
	if r.cluster.IsRouter() {
		return
	}
	tickets := bson.Doc("out", int32(0), "available", int32(128), "totalTickets", int32(128))
	size := int64(0)
	for _, db := range r.cluster.store.Latest().Databases() {
		for _, c := range r.cluster.store.Latest().Collections(db) {
			if db != "local" {
				size += c.Size()
			}
		}
	}
	f.Value("wiredTiger", bson.Doc(
		"cache", bson.Doc("bytes currently in the cache", size, "maximum bytes configured", int64(1)<<30,
			"tracked dirty bytes in the cache", int64(0), "pages read into cache", int64(0), "pages written from cache", int64(0)),
		"concurrentTransactions", bson.Doc("write", tickets, "read", tickets),
		"transaction", bson.Doc("transaction checkpoints", int64(0), "transaction checkpoint currently running", int64(0)),
		"log", bson.Doc("log bytes written", int64(0))))
	f.Value("queues", bson.Doc("execution", bson.Doc("write", tickets, "read", tickets)))
}

// metrics returns the counters that monitors read.
func (r *request) metrics() bson.D {
	n := &r.node.counters
	return bson.Doc(
		"commands", r.node.commandCounts(),
		"cursor", bson.Doc("timedOut", int64(0), "totalOpened", int64(0),
			"open", bson.Doc("noTimeout", int64(0), "pinned", int64(0), "total", int64(r.node.engine.Cursors().Open()))),
		"document", bson.Doc("deleted", n.deletes.Load(), "inserted", n.inserts.Load(), "returned", int64(0), "updated", n.updates.Load()),
		"getLastError", bson.Doc("wtime", bson.Doc("num", int32(0), "totalMillis", int32(0)), "wtimeouts", int64(0)),
		"operation", bson.Doc("killedDueToMaxTimeMSExpired", int64(0), "scanAndOrder", int64(0), "writeConflicts", int64(0)),
		"queryExecutor", bson.Doc("scanned", int64(0), "scannedObjects", int64(0)),
		"ttl", bson.Doc("deletedDocuments", int64(0), "passes", int64(0)))
}

// describeRole appends what depends on the kind of server.
func (r *request) describeRole(f *reply.Fields) {
	if r.cluster.Set != nil {
		f.Value("opcountersRepl", bson.Doc("insert", int64(0), "query", int64(0), "update", int64(0), "delete", int64(0),
			"getmore", int64(0), "command", int64(0)))
		r.cluster.Set.DescribeStatus(f, r.node.Index)
	}
	if r.cluster.IsRouter() {
		f.Value("sharding", bson.Doc("configsvrConnectionString", "config/"+r.node.Address()))
		f.Value("shardingStatistics", bson.Doc("numHostsTargeted", r.node.describeTargets()))
		return
	}
	f.Value("storageEngine", bson.Doc("name", "inMemory", "supportsCommittedReads", true, "persistent", false))
}

// memory returns what the process uses, in MiB.
func memory() bson.D {
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return bson.Doc("bits", int32(64), "resident", int32(stats.HeapInuse>>20), "virtual", int32(stats.Sys>>20), "supported", true)
}

// commandCounts returns the counts of metrics.commands.
func (n *Node) commandCounts() bson.D {
	n.counters.mu.Lock()
	defer n.counters.mu.Unlock()
	list := bson.D{}
	for _, name := range slices.Sorted(maps.Keys(n.counters.byName)) {
		list = append(list, bson.E{Key: name, Value: bson.Doc("failed", int64(0), "total", n.counters.byName[name])})
	}
	return list
}
