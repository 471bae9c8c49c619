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
	logmsg.CommandKeys
	Address string // the server's address
}

// connectionID returns the connection's name in events. It has the official driver's form, because monitors parse it.
func (x *Exchange) connectionID() string {
	return x.Address + "[-" + strconv.FormatInt(x.DriverConnectionID, 10) + "]"
}

// Logs reports whether the log wants messages about commands.
func (c *Commands) Logs() bool { return c.Log.Enabled(logmsg.Command, logmsg.Debug) }

// Started publishes a command. sensitive says that command replaces one that must not be shown.
func (c *Commands) Started(ctx context.Context, x *Exchange, command bson.Raw, sensitive bool) {
	if c.Logs() {
		c.Log.Log(ctx, &logmsg.CommandStarted{
			CommandKeys: x.CommandKeys,
			Command:     command, Sensitive: sensitive, MaxDocumentLength: c.Log.MaxDocumentLength,
		})
	}
	if c.Monitor == nil || c.Monitor.Started == nil {
		return
	}
	e := x.CommandStartedEvent()
	e.ConnectionID, e.Command = x.connectionID(), command
	c.Log.Guard(func() { c.Monitor.Started(ctx, e) })
}

// Succeeded publishes a reply. A reply that reports write errors is a success.
func (c *Commands) Succeeded(ctx context.Context, x *Exchange, elapsed time.Duration, reply bson.Raw, sensitive bool) {
	if c.Logs() {
		c.Log.Log(ctx, &logmsg.CommandSucceeded{
			CommandKeys: x.CommandKeys, Duration: elapsed,
			Reply: reply, Sensitive: sensitive, MaxDocumentLength: c.Log.MaxDocumentLength,
		})
	}
	if c.Monitor == nil || c.Monitor.Succeeded == nil {
		return
	}
	e := x.CommandSucceededEvent()
	e.ConnectionID, e.Duration, e.Reply = x.connectionID(), elapsed, reply
	c.Log.Guard(func() { c.Monitor.Succeeded(ctx, e) })
}

// Failed publishes the reason why there is no good reply. redacted says that the error replaces one that must not be
// shown.
func (c *Commands) Failed(ctx context.Context, x *Exchange, elapsed time.Duration, failure error, redacted bool) {
	if c.Logs() {
		c.Log.Log(ctx, &logmsg.CommandFailed{
			CommandKeys: x.CommandKeys, Duration: elapsed, Failure: failure, Sensitive: redacted,
		})
	}
	if c.Monitor == nil || c.Monitor.Failed == nil {
		return
	}
	e := x.CommandFailedEvent()
	e.ConnectionID, e.Duration, e.Failure = x.connectionID(), elapsed, failure
	c.Log.Guard(func() { c.Monitor.Failed(ctx, e) })
}
