package session

import (
	"github.com/specdrivers/onion/generated/core/txn"
	"github.com/specdrivers/onion/runtime/internal/topology"
	"github.com/specdrivers/onion/runtime/pool"
)

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

// PinnedConnection is the connection to a load balancer that the transaction is pinned to. It is nil without one.
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
