package server

import (
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/tools/mongotest/internal/call"
	"github.com/specdrivers/onion/tools/mongotest/internal/login"
)

// applyOpsNeeds returns the needs of the entries that applyOps repeats. An unknown entry needs every privilege.
func applyOpsNeeds(r *request) (list []login.Need) {
	for _, op := range call.Documents(r.Value()) {
		list = append(list, entryNeeds(op)...)
	}
	return list
}

// entryActions are the actions that an entry needs on its collection, by its op or by its command.
var entryActions = map[string][]string{
	"i": {"insert", "update"}, "u": {"update"}, "d": {"remove"},
	"create": {"createCollection"}, "drop": {"dropCollection"}, "createIndexes": {"createIndex"}, "dropIndexes": {"dropIndex"},
	"collMod": {"collMod"},
}

func entryNeeds(op bson.Raw) []login.Need {
	namespace, _ := op.Lookup("ns").StringOK()
	kind, _ := op.Lookup("op").StringOK()
	on := namespaceOf(namespace)
	if kind == "n" {
		return needsOf(login.Resource{Cluster: true}, "appendOplogNote")
	}
	if kind == "c" {
		o, _ := op.Lookup("o").DocumentOK()
		first, _ := o.Index(0)
		kind = first.Key
		on.Collection, _ = first.Value.StringOK()
	}
	switch actions := entryActions[kind]; {
	case kind == "dropDatabase":
		return needsOf(login.Resource{DB: on.DB}, "dropDatabase")
	case actions != nil && !strings.HasPrefix(on.Collection, "system."):
		return needsOf(on, actions...)
	}
	return needsOf(login.Resource{Any: true}, "anyAction")
}
