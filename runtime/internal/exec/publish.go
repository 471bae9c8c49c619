package exec

import (
	"context"
	"encoding/binary"
	"errors"
	"strconv"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/logmsg"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/runtime/fault"
	"github.com/specdrivers/onion/runtime/internal/conn"
	"github.com/specdrivers/onion/runtime/internal/observe"
)

// unacknowledgedReply is published for a write to which the server does not reply.
var unacknowledgedReply = func() bson.Raw {
	dst, start := bson.AppendDocumentStart(nil)
	dst = bson.AppendInt32Element(dst, "ok", 1)
	return bson.AppendDocumentEnd(dst, start)
}()

func (p *Publisher) publishStart(ctx context.Context, e *execution, msg []byte) note {
	if p.Events.Monitor == nil && p.Tracing.Tracer == nil && !p.Events.Logs() {
		return note{}
	}
	n := note{exchange: e.exchangeNote(msg)}
	body := conn.Body(msg)
	n.sensitive = logmsg.Sensitive(e.meta.Command, !body.Lookup(wire.FieldSpeculativeAuthenticate).IsZero())
	command := wholeCommand(msg, body)
	if n.sensitive {
		command = bson.EmptyDocument()
	} else if p.Tracing.Tracer != nil {
		p.startSpan(ctx, e, &n, command)
	}
	p.Events.Started(ctx, n.exchange, command, n.sensitive)
	e.try.sentAt = time.Now()
	return n
}

func (e *execution) exchangeNote(msg []byte) *observe.Exchange {
	x := &observe.Exchange{Address: e.try.server.Address()}
	x.CommandKeys = logmsg.CommandKeys{
		CommandName: e.meta.Command, DatabaseName: e.op.DB, RequestID: int64(conn.RequestID(msg)), OperationID: e.id,
		DriverConnectionID: e.try.pooled.ID(), ServiceID: e.try.pooled.ServiceID(),
	}
	x.ServerHost, x.ServerPort = observe.HostPort(x.Address)
	if id := e.try.limits.ConnectionID; id != 0 {
		x.ServerConnectionID = &id
	}
	return x
}

// publishEnd publishes the reply, or the reason why there is none. A reply that is not ok is a failure. A reply that
// reports write errors is not.
func (p *Publisher) publishEnd(ctx context.Context, e *execution, n note, reply bson.Raw, err error) {
	if n.exchange == nil {
		return
	}
	elapsed := time.Since(e.try.sentAt)
	if n.span != nil {
		endCommandSpan(n.span, reply, err)
	}
	if err == nil {
		if n.sensitive {
			reply = bson.EmptyDocument()
		}
		p.Events.Succeeded(ctx, n.exchange, elapsed, reply, n.sensitive)
		return
	}
	// Command Logging and Monitoring, "Security": redact the server's text, but not network errors.
	redacted := n.sensitive && errors.As(err, new(fault.CommandError))
	if redacted {
		err = stripReply(err)
	}
	p.Events.Failed(ctx, n.exchange, elapsed, err, redacted)
}

// stripReply keeps the code and the labels of a server's error. It drops everything else, which may hold secrets.
func stripReply(err error) error {
	e, ok := errors.AsType[fault.CommandError](err)
	if !ok {
		return err
	}
	return fault.CommandError{Code: e.Code, Name: e.Name, Labels: e.Labels, Command: e.Command, Address: e.Address}
}

// wholeCommand copies the command into one document. A document sequence of the message becomes an array in it. Command
// Logging and Monitoring, "Publishing & Logging the Command".
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
