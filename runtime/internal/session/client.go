package session

import (
	"github.com/specdrivers/onion/bson"
)

// Client is a session in use. An implicit one lives for one operation and the cursor that it made; an explicit one
// belongs to the program. It is used by one goroutine at a time.
type Client struct {
	server   *Server
	implicit bool

	clock         Clock
	operationTime bson.Timestamp
}

// NewImplicit makes a session for one operation. It lies in the server session, which only one operation has at a time.
func NewImplicit(server *Server) *Client {
	c := &server.operation
	c.server, c.implicit, c.operationTime = server, true, bson.Timestamp{}
	c.clock.latest.Store(nil)
	return c
}

// Server is the server session that commands carry.
func (c *Client) Server() *Server { return c.server }

// Implicit reports whether the driver made the session for an operation of its own accord.
func (c *Client) Implicit() bool { return c.implicit }

// Clock is the cluster time that the session has seen.
func (c *Client) Clock() *Clock { return &c.clock }

// OperationTime is the operationTime of the last reply in the session; the zero value when there was none.
func (c *Client) OperationTime() bson.Timestamp { return c.operationTime }

// AdvanceOperationTime takes a reply's operationTime over if it is later.
func (c *Client) AdvanceOperationTime(t bson.Timestamp) {
	if t.After(c.operationTime) {
		c.operationTime = t
	}
}
