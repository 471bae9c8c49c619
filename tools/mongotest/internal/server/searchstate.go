package server

import (
	"sync"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/tools/mongotest/internal/reply"
)

// searchIndexes are the search indexes of a deployment with search. They index nothing, and $search is refused.
type searchIndexes struct {
	mu   sync.Mutex
	byNS map[string][]*searchIndex
}

// searchIndex is one index. It is PENDING, then BUILDING, then READY. The times count from its last definition.
type searchIndex struct {
	id, name, kind string
	definition     bson.Raw
	version        int32
	since          time.Time
}

func (x *searchIndex) describe(now time.Time) bson.Raw {
	state := "READY"
	switch age := now.Sub(x.since); {
	case age < searchStep:
		state = "PENDING"
	case age < 2*searchStep:
		state = "BUILDING"
	}
	return reply.New().String("id", x.id).String("name", x.name).String("type", x.kind).String("status", state).
		Bool("queryable", state == "READY").Value("latestVersion", x.version).Doc("latestDefinition", x.definition).Done()
}

// searchStep is how long an index stays in a state before READY.
const searchStep = 5 * time.Millisecond
