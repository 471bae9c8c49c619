package observe

import (
	"context"
	"strconv"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/logmsg"
	"github.com/specdrivers/onion/generated/event"
)

// Commands publishes commands to the client's listener and log.
type Commands struct {
	Monitor *event.CommandMonitor
	Log     *Logger
}

// Exchange is one command and its reply. It holds what all their events and messages share.
type Exchange struct {
	Command, Database  string
	RequestID          int64
	OperationID        int64
	Address            string // the server's address
	Host               string
	Port               int
	ConnectionID       int64  // the driver's number for the connection
	ServerConnectionID *int64 // nil when the server has not sent it
	ServiceID          *bson.ObjectID
}

// connectionID is the connection's name in events: what the official driver writes, which monitors take apart.
func (x *Exchange) connectionID() string {
	return x.Address + "[-" + strconv.FormatInt(x.ConnectionID, 10) + "]"
}

// Logs reports whether the log wants messages about commands.
func (c *Commands) Logs() bool { return c.Log.Enabled(logmsg.Command, logmsg.Debug) }

// Started publishes a command. sensitive says that command replaces one that must not be shown.
func (c *Commands) Started(ctx context.Context, x *Exchange, command bson.Raw, sensitive bool) {
	if c.Logs() {
		c.Log.Log(ctx, &logmsg.CommandStarted{
			CommandName: x.Command, DatabaseName: x.Database, RequestID: x.RequestID, OperationID: x.OperationID,
			DriverConnectionID: x.ConnectionID, ServerHost: x.Host, ServerPort: x.Port,
			ServerConnectionID: x.ServerConnectionID, ServiceID: x.ServiceID,
			Command: command, Sensitive: sensitive, MaxDocumentLength: c.Log.MaxDocumentLength,
		})
	}
	if c.Monitor == nil || c.Monitor.Started == nil {
		return
	}
	e := &event.CommandStarted{
		CommandName: x.Command, DatabaseName: x.Database, RequestID: x.RequestID, OperationID: x.OperationID,
		ConnectionID: x.connectionID(), DriverConnectionID: x.ConnectionID,
		ServerConnectionID: x.ServerConnectionID, ServiceID: x.ServiceID,
		Command: command,
	}
	c.Log.Guard(func() { c.Monitor.Started(ctx, e) })
}

// Succeeded publishes a reply. A reply that reports write errors is a success.
func (c *Commands) Succeeded(ctx context.Context, x *Exchange, elapsed time.Duration, reply bson.Raw, sensitive bool) {
	if c.Logs() {
		c.Log.Log(ctx, &logmsg.CommandSucceeded{
			CommandName: x.Command, DatabaseName: x.Database, RequestID: x.RequestID, OperationID: x.OperationID,
			DriverConnectionID: x.ConnectionID, ServerHost: x.Host, ServerPort: x.Port,
			ServerConnectionID: x.ServerConnectionID, ServiceID: x.ServiceID,
			Duration: elapsed, Reply: reply, Sensitive: sensitive, MaxDocumentLength: c.Log.MaxDocumentLength,
		})
	}
	if c.Monitor == nil || c.Monitor.Succeeded == nil {
		return
	}
	e := &event.CommandSucceeded{
		CommandName: x.Command, DatabaseName: x.Database, RequestID: x.RequestID, OperationID: x.OperationID,
		ConnectionID: x.connectionID(), DriverConnectionID: x.ConnectionID,
		ServerConnectionID: x.ServerConnectionID, ServiceID: x.ServiceID,
		Duration: elapsed, Reply: reply,
	}
	c.Log.Guard(func() { c.Monitor.Succeeded(ctx, e) })
}

// Failed publishes the reason why there is no good reply. redacted says that the error replaces one that must not be
// shown.
func (c *Commands) Failed(ctx context.Context, x *Exchange, elapsed time.Duration, failure error, redacted bool) {
	if c.Logs() {
		c.Log.Log(ctx, &logmsg.CommandFailed{
			CommandName: x.Command, DatabaseName: x.Database, RequestID: x.RequestID, OperationID: x.OperationID,
			DriverConnectionID: x.ConnectionID, ServerHost: x.Host, ServerPort: x.Port,
			ServerConnectionID: x.ServerConnectionID, ServiceID: x.ServiceID,
			Duration: elapsed, Failure: failure, Sensitive: redacted,
		})
	}
	if c.Monitor == nil || c.Monitor.Failed == nil {
		return
	}
	e := &event.CommandFailed{
		CommandName: x.Command, DatabaseName: x.Database, RequestID: x.RequestID, OperationID: x.OperationID,
		ConnectionID: x.connectionID(), DriverConnectionID: x.ConnectionID,
		ServerConnectionID: x.ServerConnectionID, ServiceID: x.ServiceID,
		Duration: elapsed, Failure: failure,
	}
	c.Log.Guard(func() { c.Monitor.Failed(ctx, e) })
}
