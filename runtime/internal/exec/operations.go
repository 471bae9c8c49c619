package exec

import (
	"github.com/specdrivers/onion/generated/core/command"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/runtime/fault"
	"github.com/specdrivers/onion/runtime/internal/conn"
)

// Operations is a command with two sections of kind 1: operations, and the namespaces that they refer to by number. A
// message starts with the operation at Operation.From and holds as many as fit.
type Operations interface {
	command.Command
	Items() int
	AppendOp(dst []byte, i int, namespace int32, env *command.Env) ([]byte, error)
	Namespace(i int) string
	AppendNamespace(dst []byte, i int) []byte
}

// namespaces are the namespaces in one message.
type namespaces struct {
	number map[string]int32
	docs   []byte
}

// find returns the number of operation i's namespace, and the document that the first use of the namespace adds.
func (n *namespaces) find(ops Operations, i int) (number int32, added []byte) {
	name := ops.Namespace(i)
	if number, ok := n.number[name]; ok {
		return number, nil
	}
	before := len(n.docs)
	n.docs = ops.AppendNamespace(n.docs, i)
	number = int32(len(n.number))
	n.number[name] = number
	return number, n.docs[before:]
}

// drop removes what find added for operation i.
func (n *namespaces) drop(ops Operations, i int, added []byte) {
	if len(added) > 0 {
		delete(n.number, ops.Namespace(i))
		n.docs = n.docs[:len(n.docs)-len(added)]
	}
}

// appendOperations writes both sections. Bulk Write, "Unencrypted bulk writes": the command without its generic fields,
// the operations and the namespaces must stay below the maximum message size by a fixed allowance.
func (e *execution) appendOperations(msg []byte, ops Operations, commandSize int, env *command.Env) ([]byte, error) {
	hello := e.try.limits
	room := int(hello.MaxMessageSizeBytes) - wire.BulkWriteOverhead - commandSize
	names := namespaces{number: map[string]int32{}}
	msg, start := conn.BeginSequence(msg, e.meta.Sequence)
	first := len(msg)
	e.try.sent = 0
	for i := e.op.From; i < ops.Items() && e.try.sent < int(hello.MaxWriteBatchSize); i++ {
		before := len(msg)
		number, added := names.find(ops, i)
		var err error
		if msg, err = ops.AppendOp(msg, i, number, env); err != nil {
			return nil, err
		}
		if size := len(msg) - first + len(names.docs); size > room {
			if e.try.sent == 0 {
				return nil, fault.DocumentTooLargeError{Index: i, Size: size, Limit: room}
			}
			msg = msg[:before]
			names.drop(ops, i, added)
			break
		}
		e.try.sent++
	}
	msg = conn.EndSequence(msg, start)
	msg, start = conn.BeginSequence(msg, wire.CompanionIdentifier(e.meta.Command))
	return conn.EndSequence(append(msg, names.docs...), start), nil
}
