package server

import (
	"context"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/tools/mongotest/internal/engine"
	"github.com/specdrivers/onion/tools/mongotest/internal/login"
)

// command is a row of the command table. It describes one command.
type command struct {
	name    string
	aliases []string
	needs   needs // what the command does, so roles can allow it; nil with beforeAuth
	access  access
	on      nodes          // the nodes that have it
	fields  *engine.Fields // nil if the engine runs the command: its file declares them
	since   int32          // the first wire version that has it; 0 for all
	until   int32          // the first wire version that lacks it; 0 for none

	admin      bool // runs against the admin database only
	beforeAuth bool // runs on a connection that has not authenticated, and takes no session
	immune     bool // failCommand does not act on it
	forTests   bool // exists only with enableTestCommands
	scripts    bool // exists only with an engine for JavaScript
	opQuery    bool // servers from 5.1 on still take it in an OP_QUERY

	retryable       bool        // with a transaction number it is a retryable write
	inTransaction   int32       // the first wire version that runs it in a transaction; 0 is never
	endsTransaction bool        // commits or aborts a transaction
	writeConcern    bool        // takes a write concern although its access is not writes
	readConcern     readLevels  // the read concern levels that it takes
	onlyOK          bool        // answers only ok when the write concern is {w: 0}
	api             apiVersions // the Stable API versions that it is part of
	unstable        []string    // fields that are not part of API version 1

	timed bool // watches its time limit itself

	run handler
}

// handler runs a command and returns its reply, without the fields that end every reply.
type handler func(ctx context.Context, r *request) (bson.Raw, error)

// access says which members answer a command.
type access uint8

const (
	anyMember access = iota
	reads            // the primary, or a secondary when the read preference allows it
	writes           // the primary
)

// nodes says which nodes have a command.
type nodes uint8

const (
	allNodes nodes = iota
	members        // not routers
	routers
)

// readLevels are the read concern levels that a command takes.
type readLevels uint8

const (
	localOnly readLevels = iota
	anyLevel
	noSnapshot // any level but snapshot
)

// never and always are values of command.inTransaction that are not wire versions.
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

// needs lists what a command does to which resources, so roles can allow it.
type needs func(r *request) []login.Need
