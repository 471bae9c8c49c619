package session

import (
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/operation"
	"github.com/specdrivers/onion/generated/core/txn"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/internal/topology"
	"github.com/specdrivers/onion/runtime/pool"
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

// Start begins a transaction with the options of t. It ignores the other fields of t.
func (c *Client) Start(t Transaction) error {
	next, err := txn.Next(c.txn.State, txn.Start)
	if err != nil {
		return err
	}
	c.Unpin()
	c.server.NextTxnNumber()
	c.txn = Transaction{
		State: next, ReadConcern: t.ReadConcern, WriteConcern: t.WriteConcern, ReadPreference: t.ReadPreference,
		MaxCommitTime: t.MaxCommitTime, Began: t.Began,
	}
	return nil
}

// Active reports whether commands belong to the transaction.
func (t *Transaction) Active() bool { return t.State == txn.Starting || t.State == txn.InProgress }

// Begun records that the first command is being sent.
func (t *Transaction) Begun() { t.State, _ = txn.Next(t.State, txn.Operation) }

// Leave resets a transaction that has ended, because the session continues without one.
//
// Transactions, "When to unpin", item 5.
func (c *Client) Leave() {
	c.Unpin()
	c.txn = Transaction{}
}

// PinnedServer is the mongos or the load balancer that the transaction is pinned to. It is nil when the transaction is
// not pinned.
func (c *Client) PinnedServer() *topology.Server { return c.txn.server }

// PinnedConnection is the connection that the transaction is pinned to behind a load balancer. It is nil without one.
func (c *Client) PinnedConnection() *topology.Pooled { return c.txn.conn }

// Pin sends all commands of the transaction to one server. If conn is not nil, they all use that connection.
func (c *Client) Pin(server *topology.Server, conn *topology.Pooled) {
	c.txn.server, c.txn.conn = server, conn
	if conn != nil {
		conn.SetPin(pool.PinnedByTransaction)
	}
}

// Unpin removes the pin and gives the connection back, as soon as no cleanup uses it.
func (c *Client) Unpin() {
	server, conn := c.txn.server, c.txn.conn
	c.txn.server, c.txn.conn = nil, nil
	if conn != nil && !c.borrowed {
		c.WhenFree(func() { server.CheckIn(conn) })
	}
}
