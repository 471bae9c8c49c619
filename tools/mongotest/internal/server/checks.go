package server

import (
	"context"

	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/concern"
	"github.com/specdrivers/onion/tools/mongotest/internal/replica"
	"github.com/specdrivers/onion/tools/mongotest/internal/session"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
)

// checkMessage refuses fields and commands that do not belong in the kind of message.
func (r *request) checkMessage() error {
	if !r.Legacy {
		if r.Field("$db").Type != bsontype.String {
			return status.Errorf(errcode.Location40571, "OP_MSG requests require a $db argument")
		}
		if r.DB == "" {
			return status.Errorf(errcode.InvalidNamespace, "Invalid database name: ''")
		}
		return nil
	}
	name := r.Name
	if !r.IsCommand {
		name = "find"
	}
	if row := r.cluster.commands[name]; r.IsCommand && (r.Wire < wire.Server51 || row != nil && row.opQuery) {
		return nil
	}
	return status.Errorf(errcode.UnsupportedOpQueryCommand,
		"Unsupported OP_QUERY command: %s. The client driver may require an upgrade. "+
			"For more details see https://dochub.mongodb.org/core/legacy-opcode-removal", name)
}

// checkFields refuses fields that the command does not have. The engine's commands check theirs when they run.
func (r *request) checkFields() error {
	if r.command.fields == nil {
		return nil
	}
	return r.command.fields.Check(r.command.name, r.Body, r.Wire)
}

// checkAuthenticated refuses a command on a connection that has not authenticated.
func (r *request) checkAuthenticated() error {
	if !r.cluster.RequireAuth || r.command.beforeAuth || len(r.conn.login.Principals) > 0 {
		return nil
	}
	return status.Errorf(errcode.Unauthorized, "Command %s requires authentication", r.Name)
}

// advanceClusterTime adopts the cluster time that the client gossips.
func (r *request) advanceClusterTime() error {
	value := r.Field("$clusterTime")
	if value.IsZero() || r.cluster.Shape == Standalone {
		return nil
	}
	return r.cluster.clock.Advance(value, r.Wire)
}

// openSession reads the session fields of the command.
func (r *request) openSession() error {
	use, err := r.cluster.sessions.Open(r.Call, session.Caller{
		Owner: r.conn.owner(), NoSession: r.command.beforeAuth, Retryable: r.command.retryable,
		Anonymous: r.cluster.RequireAuth && len(r.conn.login.Principals) == 0,
	})
	if err != nil {
		return err
	}
	if r.session = use; use != nil {
		r.conn.operation.Load().setSession(use.ID)
	}
	if use.IsActive() {
		return r.checkInTransaction()
	}
	return nil
}

// isOfBulkWrite reports whether the command is bulkWrite or reads the cursor of its results. That cursor belongs to
// admin.
func (r *request) isOfBulkWrite() bool {
	switch r.Name {
	case "bulkWrite", "getMore", "killCursors":
		return true
	}
	return false
}

// checkInTransaction refuses commands and databases that transactions do not allow.
func (r *request) checkInTransaction() error {
	refuse := func(format string, args ...any) error {
		return status.Errorf(errcode.OperationNotSupportedInTransaction, format, args...)
	}
	switch since := r.command.inTransaction; {
	case r.Name == "count":
		return refuse("Cannot run 'count' in a multi-document transaction. " +
			"Please see http://dochub.mongodb.org/core/transaction-count for a recommended alternative.")
	case since == never, r.Wire < since:
		return refuse("Cannot run '%s' in a multi-document transaction.", r.Name)
	case r.DB == "local", r.DB == "config", r.DB == "admin" && !r.command.admin && !r.isOfBulkWrite():
		return refuse("Cannot run command against the '%s' database in a transaction.", r.DB)
	case r.session.StartsTxn && r.Name == "killCursors":
		return refuse("Cannot run killCursors as the first operation in a multi-document transaction.")
	}
	return nil
}

// checkState refuses what the node's role does not allow.
func (r *request) checkState(ctx context.Context) error {
	if r.command.admin && r.DB != "admin" {
		return status.Errorf(errcode.Unauthorized, "%s may only be run against the admin database.", r.Name)
	}
	if err := r.checkAuthorized(); err != nil {
		return err
	}
	if err := interruptedError(ctx); err != nil {
		return err
	}
	if r.cluster.Set == nil {
		return nil
	}
	var role replica.Role
	role, r.term = r.cluster.Set.RoleOf(r.node.Index)
	access := r.command.access
	switch {
	case role == replica.Primary:
		return nil
	case access == writes, access == reads && r.session.IsActive():
		return status.Errorf(errcode.NotWritablePrimary, "%s", r.conn.oldText("not primary", "not master"))
	case access == reads && !concern.AllowsSecondary(r.Field("$readPreference")):
		return status.Errorf(errcode.NotPrimaryNoSecondaryOk, "%s",
			r.conn.oldText("not primary and secondaryOk=false", "not master and slaveOk=false"))
	case access == reads && role != replica.Secondary:
		return status.Errorf(errcode.NotPrimaryOrSecondary, "node is not in primary or recovering state")
	}
	return nil
}
