package server

import (
	"slices"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/tools/mongotest/internal/call"
)

// targetKinds are the ways in which a router sends an operation to shards. A query that holds a value for each field of
// the shard key goes to one shard, any other query to all of them.
var targetKinds = [...]string{"allShards", "manyShards", "oneShard", "unsharded"}

const (
	toAll = iota
	_
	toOne
	toUnsharded
)

// targetedCommands are the commands that are counted.
var targetedCommands = [...]string{"find", "insert", "update", "delete", "aggregate"}

// countTargets counts the shards that each statement of a command goes to.
func (r *request) countTargets() {
	if !slices.Contains(targetedCommands[:], r.Name) {
		return
	}
	collection, _ := r.Value().StringOK()
	s := r.cluster.catalog.find(r.DB + "." + collection)
	n := &r.node.counters
	for _, query := range r.queries() {
		kind := toUnsharded
		switch {
		case s != nil && r.Name == "insert":
			kind = toOne
		case s != nil:
			kind = s.target(query)
		}
		n.mu.Lock()
		if n.targets == nil {
			n.targets = map[string]*[len(targetKinds)]int64{}
		}
		if n.targets[r.Name] == nil {
			n.targets[r.Name] = new([len(targetKinds)]int64)
		}
		n.targets[r.Name][kind]++
		n.mu.Unlock()
	}
}

// queries returns the query of each statement, or the document of an insert.
func (r *request) queries() (list []bson.Raw) {
	var statements []bson.Raw
	switch r.Name {
	case "find":
		filter, _ := r.Field("filter").DocumentOK()
		return []bson.Raw{filter}
	case "aggregate":
		if stages := call.Documents(r.Field("pipeline")); len(stages) > 0 {
			match, _ := stages[0].Lookup("$match").DocumentOK()
			return []bson.Raw{match}
		}
		return []bson.Raw{nil}
	case "insert":
		return r.documents("documents")
	case "update":
		statements = r.documents("updates")
	case "delete":
		statements = r.documents("deletes")
	}
	for _, statement := range statements {
		query, _ := statement.Lookup("q").DocumentOK()
		list = append(list, query)
	}
	return list
}

// target tells where a query goes.
func (s *shardedCollection) target(query bson.Raw) int {
	for field := range s.key.All() {
		if !asksForOneValue(query, field) {
			return toAll
		}
	}
	return toOne
}

// asksForOneValue reports whether a query asks for one value of a field.
func asksForOneValue(query bson.Raw, field string) bool {
	for name, v := range query.All() {
		d, isDocument := v.DocumentOK()
		first, _ := d.Index(0)
		switch {
		case name == "$and":
			if slices.ContainsFunc(call.Documents(v), func(branch bson.Raw) bool { return asksForOneValue(branch, field) }) {
				return true
			}
		case name != field || v.Type == bsontype.Regex:
		case !isDocument || first.Key == "" || first.Key[0] != '$' || !d.Lookup("$eq").IsZero():
			return true
		}
	}
	return false
}

// describeTargets is shardingStatistics.numHostsTargeted of serverStatus.
func (n *Node) describeTargets() bson.D {
	n.counters.mu.Lock()
	defer n.counters.mu.Unlock()
	all := bson.D{}
	for _, name := range targetedCommands {
		counts := bson.D{}
		for kind, label := range targetKinds {
			count := int64(0)
			if known := n.counters.targets[name]; known != nil {
				count = known[kind]
			}
			counts = append(counts, bson.E{Key: label, Value: count})
		}
		all = append(all, bson.E{Key: name, Value: counts})
	}
	return all
}
