package mongotest

import (
	"sync"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
)

// trait is a property of a command that the checks before it look at.
type trait uint16

const (
	beforeAuth trait = 1 << iota // runs on a connection that has not authenticated
	neverFails                   // failCommand leaves it alone
	writes                       // needs the primary
	reads                        // needs the primary or a read preference that allows a secondary
	inTxn                        // may run in a transaction
	apiV1                        // is part of Stable API version 1
	adminOnly                    // runs against the admin database alone
)

// command is a row of the command table.
type command struct {
	name   string
	traits trait
	run    func(*request) (bson.Raw, error)
	since  int32 // the first wire version that has it; 0 for all
}

func (c command) any(t trait) bool { return c.traits&t != 0 }

// commandTable is every command by its name. A command's file says what it does and what it leaves out.
var commandTable = sync.OnceValue(func() map[string]command {
	table := map[string]command{}
	for _, rows := range [][]command{protocolCommands(), userCommands(), sessionCommands(), transactionCommands(), dataCommands()} {
		for _, row := range rows {
			table[row.name] = row
		}
	}
	return table
})

func protocolCommands() []command {
	return []command{
		{name: "hello", traits: beforeAuth | apiV1, run: hello, since: int32(wire.StreamingHello)},
		{name: "isMaster", traits: beforeAuth, run: hello},
		{name: "ismaster", traits: beforeAuth, run: hello},
		{name: "ping", traits: beforeAuth | apiV1, run: ping},
		{name: "buildInfo", traits: beforeAuth, run: buildInfo},
		{name: "buildinfo", traits: beforeAuth, run: buildInfo},
		{name: "getParameter", traits: adminOnly, run: getParameter},
		{name: "connectionStatus", traits: beforeAuth, run: connectionStatus},
		{name: "serverStatus", run: serverStatus},
		{name: "whatsmyuri", traits: beforeAuth, run: whatsMyURI},
		{name: "getnonce", traits: beforeAuth, run: getNonce},
		{name: "getLog", traits: adminOnly, run: getLog},
		{name: "replSetGetStatus", traits: adminOnly, run: replSetGetStatus},
		{name: "replSetGetConfig", traits: adminOnly, run: replSetGetConfig},
		{name: "replSetStepDown", traits: adminOnly, run: replSetStepDown},
		{name: "replSetFreeze", traits: adminOnly, run: replSetFreeze},
		{name: "configureFailPoint", traits: adminOnly | neverFails, run: configureFailPoint},
		{name: "currentOp", traits: adminOnly, run: currentOp},
		{name: "killOp", traits: adminOnly, run: killOp},
		{name: "shardCollection", traits: adminOnly, run: shardCollection},
		{name: "enableSharding", traits: adminOnly, run: shardCollection},
		{name: "listShards", traits: adminOnly, run: listShards},
		{name: "testVersion2", traits: beforeAuth, run: testVersion2},
		{name: "testDeprecationInVersion2", traits: apiV1, run: testDeprecation},
	}
}

// checkState refuses what the node's place in the deployment does not allow.
func (d *Deployment) checkState(r *request, c command) error {
	if c.any(adminOnly) && r.db != "admin" {
		return status.Errorf(errcode.Unauthorized, "%s may only be run against the admin database.", r.name)
	}
	if err := r.interrupted(); err != nil {
		return err
	}
	if d.set == nil {
		return nil
	}
	var role role
	role, r.concerns.office = d.set.standing(r.node)
	switch {
	case role == rolePrimary:
		return nil
	case c.any(writes), c.any(reads) && r.session != nil && r.session.inTransaction:
		return status.Errorf(errcode.NotWritablePrimary, "%s", r.conn.oldWords("not primary", "not master"))
	case c.any(reads) && !r.allowsSecondary():
		return status.Errorf(errcode.NotPrimaryNoSecondaryOk, "%s",
			r.conn.oldWords("not primary and secondaryOk=false", "not master and slaveOk=false"))
	case c.any(reads) && role != roleSecondary:
		return status.Errorf(errcode.NotPrimaryOrSecondary, "node is not in primary or recovering state")
	}
	return nil
}

// allowsSecondary reads the $readPreference of a command; without one it is primary.
func (r *request) allowsSecondary() bool {
	preference, ok := r.field("$readPreference").DocumentOK()
	if !ok {
		return false
	}
	mode, _ := preference.Lookup("mode").StringOK()
	return mode != "" && mode != "primary"
}
