package exec

import (
	"context"
	"encoding/binary"
	"errors"
	"net"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/logmsg"
	"github.com/specdrivers/onion/generated/core/trace"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/event"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/fault"
	"github.com/specdrivers/onion/runtime/internal/conn"
	"github.com/specdrivers/onion/runtime/internal/observe"
)

// Publisher tells listeners and the log about commands. A Publisher that nobody listens to costs a comparison.
type Publisher struct {
	Monitor *event.CommandMonitor
	Log     *observe.Logger
	Tracing trace.Settings

	operations atomic.Int64
}

// note is what the events of one command have in common.
type note struct {
	active      bool
	logged      bool
	sensitive   bool
	requestID   int64
	operationID int64
	host        string
	port        int
	span        options.Span // nil without tracing
}

// unacknowledgedReply is the reply that is published for a write that the server does not answer.
var unacknowledgedReply = func() bson.Raw {
	dst, start := bson.AppendDocumentStart(nil)
	dst = bson.AppendInt32Element(dst, "ok", 1)
	return bson.AppendDocumentEnd(dst, start)
}()

// NextOperation numbers an operation; all commands of an operation share the number.
func (p *Publisher) NextOperation() int64 { return p.operations.Add(1) }

func (p *Publisher) started(ctx context.Context, t *try, msg []byte) note {
	n := note{logged: p.Log.Enabled(logmsg.Command, logmsg.Debug)}
	n.active = n.logged || p.Monitor != nil || p.Tracing.Tracer != nil
	if !n.active {
		return n
	}
	n.requestID, n.operationID = int64(t.wire.LastRequestID()), t.id
	n.host, n.port = splitAddress(t.server.Address())
	body := conn.Body(msg)
	n.sensitive = logmsg.Sensitive(t.meta.Command, !body.Lookup(wire.FieldSpeculativeAuthenticate).IsZero())
	command := wholeCommand(msg, body)
	if n.sensitive {
		command = wire.EmptyDocument()
	} else if p.Tracing.Tracer != nil {
		p.startSpan(ctx, t, &n, command)
	}
	if n.logged {
		p.Log.Log(ctx, &logmsg.CommandStarted{
			CommandName: t.meta.Command, DatabaseName: t.op.DB, RequestID: n.requestID, OperationID: n.operationID,
			DriverConnectionID: t.pooled.ID(), ServerHost: n.host, ServerPort: n.port,
			ServerConnectionID: t.serverConnectionID(), ServiceID: t.pooled.ServiceID(), Command: command,
			Sensitive: n.sensitive, MaxDocumentLength: p.Log.MaxDocumentLength,
		})
	}
	if p.Monitor != nil && p.Monitor.Started != nil {
		e := &event.CommandStarted{
			Command: command, DatabaseName: t.op.DB, CommandName: t.meta.Command, RequestID: n.requestID,
			OperationID: n.operationID, ConnectionID: t.connectionID(), DriverConnectionID: t.pooled.ID(),
			ServerConnectionID: t.serverConnectionID(), ServiceID: t.pooled.ServiceID(),
		}
		observe.Guard(func() { p.Monitor.Started(ctx, e) })
	}
	return n
}

// ended publishes the reply, or why there is none. A reply that is not ok is a failure; one that reports write errors
// is not.
func (p *Publisher) ended(ctx context.Context, t *try, n note, reply bson.Raw, err error) {
	if !n.active {
		return
	}
	elapsed := time.Since(t.began)
	if n.span != nil {
		endCommandSpan(n.span, reply, err)
	}
	if err != nil {
		p.failed(ctx, t, n, elapsed, err)
		return
	}
	if n.sensitive {
		reply = wire.EmptyDocument()
	}
	if n.logged {
		p.Log.Log(ctx, &logmsg.CommandSucceeded{
			CommandName: t.meta.Command, DatabaseName: t.op.DB, RequestID: n.requestID, OperationID: n.operationID,
			DriverConnectionID: t.pooled.ID(), ServerHost: n.host, ServerPort: n.port,
			ServerConnectionID: t.serverConnectionID(), ServiceID: t.pooled.ServiceID(), Duration: elapsed, Reply: reply,
			Sensitive: n.sensitive, MaxDocumentLength: p.Log.MaxDocumentLength,
		})
	}
	if p.Monitor != nil && p.Monitor.Succeeded != nil {
		e := &event.CommandSucceeded{
			Duration: elapsed, Reply: reply, CommandName: t.meta.Command, DatabaseName: t.op.DB, RequestID: n.requestID,
			OperationID: n.operationID, ConnectionID: t.connectionID(), DriverConnectionID: t.pooled.ID(),
			ServerConnectionID: t.serverConnectionID(), ServiceID: t.pooled.ServiceID(),
		}
		observe.Guard(func() { p.Monitor.Succeeded(ctx, e) })
	}
}

func (p *Publisher) failed(ctx context.Context, t *try, n note, elapsed time.Duration, err error) {
	// Command Logging and Monitoring, "Security": what a server said is redacted, what happened to the network is not.
	redacted := n.sensitive && errors.As(err, new(fault.CommandError))
	if redacted {
		err = withoutReply(err)
	}
	if n.logged {
		p.Log.Log(ctx, &logmsg.CommandFailed{
			CommandName: t.meta.Command, DatabaseName: t.op.DB, RequestID: n.requestID, OperationID: n.operationID,
			DriverConnectionID: t.pooled.ID(), ServerHost: n.host, ServerPort: n.port,
			ServerConnectionID: t.serverConnectionID(), ServiceID: t.pooled.ServiceID(), Duration: elapsed, Failure: err,
			Sensitive: redacted,
		})
	}
	if p.Monitor != nil && p.Monitor.Failed != nil {
		e := &event.CommandFailed{
			Duration: elapsed, CommandName: t.meta.Command, DatabaseName: t.op.DB, Failure: err, RequestID: n.requestID,
			OperationID: n.operationID, ConnectionID: t.connectionID(), DriverConnectionID: t.pooled.ID(),
			ServerConnectionID: t.serverConnectionID(), ServiceID: t.pooled.ServiceID(),
		}
		observe.Guard(func() { p.Monitor.Failed(ctx, e) })
	}
}

// withoutReply keeps the code and the labels of a server's error and drops everything else, which may hold secrets.
func withoutReply(err error) error {
	e, ok := errors.AsType[fault.CommandError](err)
	if !ok {
		return err
	}
	return fault.CommandError{Code: e.Code, Name: e.Name, Labels: e.Labels, Command: e.Command, Address: e.Address}
}

func (t *try) serverConnectionID() *int64 {
	if id := t.wire.Hello().ConnectionID; id != 0 {
		return &id
	}
	return nil
}

func (t *try) connectionID() string {
	return t.server.Address() + "-" + strconv.FormatInt(t.pooled.ID(), 10)
}

// splitAddress takes host and port apart; the port of a unix domain socket is 0.
func splitAddress(address string) (string, int) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return address, 0
	}
	n, err := strconv.Atoi(port)
	if err != nil {
		return address, 0
	}
	return host, n
}

// wholeCommand is the command as one document, in memory of its own: what was sent as a document sequence becomes the
// array that it stands for. Command Logging and Monitoring, "Publishing & Logging the Command".
func wholeCommand(msg []byte, body bson.Raw) bson.Raw {
	dst := append(make([]byte, 0, len(msg)+16*8), body[:len(body)-1]...)
	for identifier, documents := range conn.Sequences(msg) {
		var array int
		dst, array = bson.AppendArrayElementStart(dst, identifier)
		for i := 0; len(documents) > 0; i++ {
			size := int(binary.LittleEndian.Uint32(documents))
			dst = bson.AppendDocumentElement(dst, strconv.Itoa(i), bson.Raw(documents[:size]))
			documents = documents[size:]
		}
		dst = bson.AppendDocumentEnd(dst, array)
	}
	return bson.AppendDocumentEnd(dst, 0)
}
