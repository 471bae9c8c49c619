package server

import (
	"context"
	"maps"
	"slices"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
)

// command is a row of the command table: what a command is.
type command struct {
	name    string
	aliases []string
	needs   needs // what it does, for roles to allow; nil with beforeAuth
	access  access
	since   int32 // the first wire version that has it; 0 for all
	until   int32 // the first wire version that has it no more; 0 for none

	admin      bool // runs against the admin database only
	beforeAuth bool // runs on a connection that has not authenticated, and takes no session
	immune     bool // failCommand does not act on it
	forTests   bool // exists only with enableTestCommands
	scripts    bool // exists only with an engine for JavaScript
	opQuery    bool // servers from 5.1 on still take it in an OP_QUERY

	retryable       bool        // a transaction number makes it a retryable write
	inTransaction   int32       // the first wire version that runs it in a transaction; 0 is never
	endsTransaction bool        // commits or aborts one
	writeConcern    bool        // takes a write concern although its access is not writes
	readConcern     readLevels  // the levels that it takes
	onlyOK          bool        // answers nothing but ok when the write concern is {w: 0}
	api             apiVersions // the Stable API versions that it is part of
	unstable        []string    // fields that are not part of API version 1

	run handler
}

// handler runs a command and returns its reply without the fields that every reply ends with.
type handler func(ctx context.Context, r *request) (bson.Raw, error)

// access says which members answer a command.
type access uint8

const (
	anyMember access = iota
	reads            // the primary, or a secondary when the read preference allows it
	writes           // the primary
)

// readLevels are the read concern levels that a command takes.
type readLevels uint8

const (
	localOnly readLevels = iota
	anyLevel
	noSnapshot // any level but snapshot
)

// never and always are values of command.inTransaction beside wire versions.
const (
	never  = 0
	always = 1
)

// apiVersions is a set of Stable API versions.
type apiVersions uint8

const (
	api1        apiVersions = 1 << iota // part of version 1, and so of version 2
	api2                                // part of version 2
	deprecated2                         // deprecated in version 2
)

// newTable is the table by every name.
func newTable() map[string]*command {
	table := map[string]*command{}
	for _, rows := range [][]command{
		protocolCommands(), maintenanceCommands(), replicaCommands(), userCommands(), roleCommands(), sessionCommands(),
		dataCommands(), routerCommands(),
	} {
		for _, row := range rows {
			table[row.name] = &row
			for _, alias := range row.aliases {
				table[alias] = &row
			}
		}
	}
	return table
}

// CommandNames are the names of all commands, and whether each runs against the admin database only.
func CommandNames() map[string]bool {
	names := map[string]bool{}
	for name, row := range newTable() {
		names[name] = row.admin
	}
	return names
}

// exists reports whether the servers of a deployment have the command. No server has a nil one.
func (c *command) exists(k *Cluster) bool {
	return c != nil && k.Wire >= c.since && (c.until == 0 || k.Wire < c.until) && (!c.forTests || k.enabled("enableTestCommands")) &&
		(!c.scripts || k.Scripts != nil)
}

// absent are commands of a real server that mongotest does not have. They fail as unknown commands do, and the text says why.
var absent = map[string]bool{
	"analyze": true, "analyzeShardKey": true, "autoCompact": true,
	"filemd5":  true,
	"lockInfo": true, "mapReduce": true, "mapreduce": true, "setIndexCommitQuorum": true, "setQuerySettings": true}

// noSuchCommand is the error of a command that the deployment does not have.
func (k *Cluster) noSuchCommand(name string) error {
	e := status.Unknown(name)
	if c := k.commands[name]; absent[name] && (c == nil || c.scripts && k.Scripts == nil) {
		e.Message += " (mongotest does not have it)"
	}
	return e
}

// Absent lists the commands of a server that mongotest does not have, that which needs JavaScript among them.
func Absent() []string { return slices.Sorted(maps.Keys(absent)) }
