package server

import (
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
)

// counters are what serverStatus tells about the work of a node.
type counters struct {
	inserts, queries, updates, deletes, getMores, commands atomic.Int64

	bytesIn, bytesOut, requests atomic.Int64
	userErrors                  atomic.Int64
	started, committed, aborted atomic.Int64 // transactions

	mu     sync.Mutex
	byName map[string]int64 // commands that passed the checks
}

// commandCounts are the counts of metrics.commands.
func (n *Node) commandCounts() bson.D {
	n.counters.mu.Lock()
	defer n.counters.mu.Unlock()
	list := bson.D{}
	for _, name := range slices.Sorted(maps.Keys(n.counters.byName)) {
		list = append(list, bson.E{Key: name, Value: bson.Doc("failed", int64(0), "total", n.counters.byName[name])})
	}
	return list
}

// count notes a command that passed the checks. Writes count by statement.
func (n *counters) count(r *request) {
	n.mu.Lock()
	if n.byName == nil {
		n.byName = map[string]int64{}
	}
	n.byName[r.command.name]++
	n.mu.Unlock()
	switch r.Name {
	case "find":
		n.queries.Add(1)
	case "getMore":
		n.getMores.Add(1)
	case "insert":
		n.inserts.Add(r.statements("documents"))
	case "update":
		n.updates.Add(r.statements("updates"))
	case "delete":
		n.deletes.Add(r.statements("deletes"))
	case "commitTransaction":
		n.commands.Add(1)
		n.committed.Add(1)
	case "abortTransaction":
		n.commands.Add(1)
		n.aborted.Add(1)
	default:
		n.commands.Add(1)
	}
	if r.session != nil && r.session.StartsTxn {
		n.started.Add(1)
	}
}

// statements is how many elements an array or a document sequence has.
func (r *request) statements(field string) int64 {
	if docs, ok := r.Sequences[field]; ok {
		return int64(len(docs))
	}
	if v := r.Field(field); v.Type == bsontype.Array {
		return int64(bson.RawArray(v.Value).Len())
	}
	return 1
}
