package session

import (
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/txn"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/internal/topology"
	"github.com/specdrivers/onion/runtime/pool"
)

// Transaction is what a session remembers of its transaction.
type Transaction struct {
	State txn.State

	// What the commands of the transaction carry, inherited where the program has set nothing.
	ReadConcern    *options.ReadConcern
	WriteConcern   *options.WriteConcern
	ReadPreference *options.ReadPreference
	MaxCommitTime  *time.Duration

	// RecoveryToken is the one that a mongos gave last.
	RecoveryToken bson.Raw

	// CommitTried says that the next commit has to ask for a majority: an earlier one may have taken place.
	CommitTried bool

	// Empty says that the transaction ended before its first command: there is nothing to commit or abort.
	Empty bool

	server *topology.Server // the mongos that all commands go to
	conn   *topology.Pooled // the connection that all commands use, behind a load balancer
}

// Start begins a transaction with the options of t, whose other fields do not count.
func (c *Client) Start(t Transaction) error {
	next, err := txn.Next(c.txn.State, txn.Start)
	if err != nil {
		return err
	}
	c.Unpin()
	c.server.NextTxnNumber()
	c.txn = Transaction{
		State: next, ReadConcern: t.ReadConcern, WriteConcern: t.WriteConcern, ReadPreference: t.ReadPreference,
		MaxCommitTime: t.MaxCommitTime,
	}
	return nil
}

// Active reports whether commands are part of the transaction.
func (t *Transaction) Active() bool { return t.State == txn.Starting || t.State == txn.InProgress }

// Begun notes that the first command is on its way.
func (t *Transaction) Begun() { t.State, _ = txn.Next(t.State, txn.Operation) }

// Leave forgets a transaction that has ended, because the session goes on without one.
//
// Transactions, "When to unpin", item 5.
func (c *Client) Leave() {
	c.Unpin()
	c.txn = Transaction{}
}

// PinnedServer is the mongos that the transaction is pinned to, or the load balancer; nil when it is not pinned.
func (c *Client) PinnedServer() *topology.Server { return c.txn.server }

// PinnedConnection is the connection that the transaction is pinned to behind a load balancer; nil without one.
func (c *Client) PinnedConnection() *topology.Pooled { return c.txn.conn }

// Pin sends all commands of the transaction to one server, and over one connection if conn is not nil.
func (c *Client) Pin(server *topology.Server, conn *topology.Pooled) {
	c.txn.server, c.txn.conn = server, conn
	if conn != nil {
		conn.SetPin(pool.PinnedByTransaction)
	}
}

// Unpin ends that and gives the connection back.
func (c *Client) Unpin() {
	server, conn := c.txn.server, c.txn.conn
	c.txn.server, c.txn.conn = nil, nil
	if conn != nil {
		server.CheckIn(conn)
	}
}
