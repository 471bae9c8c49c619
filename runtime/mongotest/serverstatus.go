package mongotest

import (
	"github.com/specdrivers/onion/bson"
)

// serverStatus answers with the numbers that tests of drivers look at: connections, and the name of the process.
func serverStatus(r *request) (bson.Raw, error) {
	r.node.mu.Lock()
	open := len(r.node.conns)
	r.node.mu.Unlock()
	process := "mongod"
	if r.d.isRouter() {
		process = "mongos"
	}
	return newReply().str("host", r.node.address).str("version", r.d.config.version).str("process", process).
		value("connections", bson.Doc("current", int32(open), "available", int32(1000), "totalCreated", r.d.connIDs.Load())).
		value("storageEngine", bson.Doc("name", "inMemory")).done(), nil
}
