package session

import (
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/operation"
	"github.com/specdrivers/onion/generated/core/txn"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/internal/topology"
)

// Transaction is the state that a session keeps for its transaction.
type Transaction struct {
	State txn.State
	Began time.Time // when the program started it; its span begins then

	// These are the options for the commands of the transaction. Options that the program has not set are inherited.
	ReadConcern    *options.ReadConcern
	WriteConcern   *options.WriteConcern
	ReadPreference *options.ReadPreference
	MaxCommitTime  *time.Duration

	// RecoveryToken is the token that a mongos sent last.
	RecoveryToken bson.Raw

	// Commits and CommitBefore are what is known of earlier commits.
	Commits      operation.Commits
	CommitBefore operation.CommitBefore

	// Empty says that the transaction ended before its first command, so there is nothing to commit or abort.
	Empty bool

	server *topology.Server // the mongos that gets all commands
	conn   *topology.Pooled // the connection for all commands, behind a load balancer
}

// Active reports whether commands belong to the transaction.
func (t *Transaction) Active() bool { return t.State == txn.Starting || t.State == txn.InProgress }

// Begun records that the first command is being sent.
func (t *Transaction) Begun() { t.State, _ = txn.Next(t.State, txn.Operation) }
