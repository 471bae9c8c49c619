package server

import (
	"sync"
	"sync/atomic"
)

// counters are the counts that serverStatus reports for a node.
type counters struct {
	inserts, queries, updates, deletes, getMores, commands atomic.Int64

	opened                      atomic.Int32 // connections
	bytesIn, bytesOut, requests atomic.Int64
	userErrors                  atomic.Int64
	started, committed, aborted atomic.Int64 // transactions

	mu     sync.Mutex
	byName map[string]int64 // commands that passed the checks
	// targets are a router's counts of statements by command and by one of targetKinds.
	targets map[string]*[len(targetKinds)]int64
}
