package exec

import (
	"fmt"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/command"
	selecttable "github.com/specdrivers/onion/generated/core/selection"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/description"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/fault"
	"github.com/specdrivers/onion/runtime/internal/conn"
)

// encode writes the message of one try into the connection's buffer: the command, what every command carries, and the
// section of kind 1.
func (a *attempt) encode() ([]byte, error) {
	env := &a.op.env
	env.WireVersion, env.Unacknowledged, env.Marshal = a.wire.Hello().MaxWireVersion, !a.acknowledged(), a.x.Marshal
	if a.op.Marshal != nil {
		env.Marshal = a.op.Marshal
	}
	msg := a.wire.Begin(0)
	start := len(msg)
	msg, err := a.op.Command.Append(msg, env)
	if err != nil {
		return nil, a.encodeError(err)
	}
	if msg, err = a.appendGeneric(msg); err != nil {
		return nil, a.encodeError(err)
	}
	msg = bson.AppendDocumentEnd(msg, start)
	if a.op.Batch != nil {
		if msg, err = a.appendBatch(msg, env); err != nil {
			return nil, a.encodeError(err)
		}
	}
	if env.Unacknowledged {
		conn.SetMoreToCome(msg)
	}
	return msg, nil
}

func (a *attempt) encodeError(err error) error {
	return fmt.Errorf("mongo: %s: %w", a.meta.Operation, err)
}

// appendGeneric writes the fields that every command may carry.
func (a *attempt) appendGeneric(dst []byte) ([]byte, error) {
	if a.meta.ReadConcern {
		dst = command.AppendReadConcern(dst, "readConcern", a.op.ReadConcern, bson.Timestamp{}, bson.Timestamp{})
	}
	if a.meta.WriteConcern {
		var err error
		if dst, err = command.AppendWriteConcern(dst, "writeConcern", a.op.WriteConcern, false); err != nil {
			return dst, err
		}
	}
	dst = bson.AppendStringElement(dst, "$db", a.op.DB)
	dst = a.appendSession(dst)
	dst = a.appendReadPreference(dst)
	return append(dst, a.x.ServerAPI...), nil
}

// appendSession writes lsid, txnNumber and $clusterTime.
func (a *attempt) appendSession(dst []byte) []byte {
	if a.session != nil {
		dst = bson.AppendDocumentElement(dst, "lsid", a.session.Server().ID())
		if a.retry == command.RetryWrite {
			if a.txnNumber == 0 {
				a.txnNumber = a.session.Server().NextTxnNumber()
			}
			dst = bson.AppendInt64Element(dst, "txnNumber", a.txnNumber)
		}
	}
	if now := a.clusterTime(); now != nil {
		dst = bson.AppendDocumentElement(dst, "$clusterTime", now)
	}
	return dst
}

// clusterTime is the later one of the client's and the session's. A standalone server has none and is told none.
// Sessions, "Gossipping the cluster time".
func (a *attempt) clusterTime() bson.Raw {
	if a.server.Description().Type == description.Standalone {
		return nil
	}
	if a.session == nil {
		return a.x.Clock.Now()
	}
	return a.x.Clock.Later(a.session.Clock())
}

// appendReadPreference follows the table of who is sent which mode.
func (a *attempt) appendReadPreference(dst []byte) []byte {
	if a.meta.Access != command.Read && !a.meta.ReadPreference {
		return dst
	}
	given := a.readPreference
	d, topologyType := a.server.Description(), a.x.Topology.Description().Type
	mode, send := selecttable.PassReadPreference(topologyType, d.Type, readPreferenceMode(given))
	if !send {
		return dst
	}
	if given == nil || given.Mode != mode {
		changed := options.ReadPreference{Mode: mode}
		if given != nil && given.Mode != 0 {
			changed = *given
			changed.Mode = mode
		}
		given = &changed
	}
	return command.AppendReadPreference(dst, "$readPreference", given)
}

// appendBatch writes as many items as the server takes in one message.
func (a *attempt) appendBatch(msg []byte, env *command.Env) ([]byte, error) {
	hello := a.wire.Hello()
	msg, start := conn.BeginSequence(msg, a.meta.Sequence)
	a.sent = 0
	for i := a.op.From; i < a.op.Batch.Items() && a.sent < int(hello.MaxWriteBatchSize); i++ {
		before := len(msg)
		var err error
		if msg, err = a.op.Batch.AppendItem(msg, i, env); err != nil {
			return nil, err
		}
		if size, limit := len(msg)-before, a.itemLimit(); size > limit {
			if a.sent > 0 { // what stands before it goes first
				msg = msg[:before]
				break
			}
			return nil, fault.DocumentTooLargeError{Index: i, Size: size, Limit: limit}
		}
		if a.sent > 0 && len(msg) > int(hello.MaxMessageSizeBytes) {
			msg = msg[:before]
			break
		}
		a.sent++
	}
	return conn.EndSequence(msg, start), nil
}

// itemLimit is how large an item may be: a document to insert as large as any document, a statement larger by as much as
// it adds to the document inside it.
func (a *attempt) itemLimit() int {
	limit := int(a.wire.Hello().MaxBSONObjectSize)
	if a.meta.Command != (*command.InsertMany)(nil).Meta().Command {
		limit += itemSlack
	}
	return limit
}

// itemSlack is by how much a statement may be larger than the document inside it.
const itemSlack = wire.CommandOverhead
