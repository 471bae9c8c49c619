// The command serverStatus: the process, its connections and its place in a replica set.
//
// Left out: the counters of operations, locks, memory, network and storage.

package mongotest

import (
	"os"
	"time"

	"github.com/specdrivers/onion/bson"
)

func serverStatus(r *request) (bson.Raw, error) {
	r.node.mu.Lock()
	open := len(r.node.conns)
	r.node.mu.Unlock()
	process := "mongod"
	if r.d.isRouter() {
		process = "mongos"
	}
	up := r.d.config.now().Sub(time.Unix(int64(r.d.data.began.T), 0))
	f := newReply().str("host", r.node.address).str("version", r.d.config.fullVersion()).str("process", process).
		value("service", bson.A{process}).int64("pid", int64(os.Getpid())).
		value("uptime", up.Seconds()).int64("uptimeMillis", up.Milliseconds()).int64("uptimeEstimate", int64(up.Seconds())).
		date("localTime", r.d.config.now().UnixMilli()).
		value("connections", bson.Doc("current", int32(open), "available", int32(1000), "totalCreated", r.d.connIDs.Load(), "active", int32(len(r.node.operations(false)))))
	if s := r.d.set; s != nil {
		s.mu.Lock()
		hosts := bson.A{}
		for _, m := range s.members {
			hosts = append(hosts, s.d.nodes[m.Node].address)
		}
		role := s.role(r.node.index)
		f.value("repl", bson.Doc("setName", r.d.config.setName, "setVersion", int32(s.setVersion), "isWritablePrimary", role == rolePrimary,
			"secondary", role == roleSecondary, "hosts", hosts, "me", r.node.address))
		s.mu.Unlock()
	}
	if !r.d.isRouter() {
		f.value("storageEngine", bson.Doc("name", "inMemory", "supportsCommittedReads", true, "persistent", false))
	}
	return f.value("mem", bson.Doc("bits", int32(64))).done(), nil
}
