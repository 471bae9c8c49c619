package exec

import (
	"github.com/specdrivers/onion/bson/emitted"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/runtime/fault"
)

// Operations is a command with two sections of kind 1: operations, and the namespaces that they refer to by number. A
// message starts with the operation at Operation.From and holds as many as fit.
type Operations interface {
	Command
	Items() int
	AppendOp(dst []byte, i int, namespace int32, env *emitted.Env) ([]byte, error)
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

// appendOps writes as many operations as have room, and returns the documents of their namespaces. Bulk Write,
// "Unencrypted bulk writes": the command without its generic fields, the operations and the namespaces must stay below
// the maximum message size by a fixed allowance. A single operation of an encrypted command may be larger than several
// may be together.
func (e *execution) appendOps(dst []byte, ops Operations, as form, commandSize int, env *emitted.Env) (out, names []byte, err error) {
	room := int(e.try.limits.MaxMessageSizeBytes) - wire.BulkWriteOverhead - commandSize
	most := room
	if as == inArrays {
		room, most = maxEncryptedBatch, int(e.try.limits.MaxBSONObjectSize)
	}
	spaces := namespaces{number: map[string]int32{}}
	first := len(dst)
	e.try.sent = 0
	for i := e.op.From; i < ops.Items() && e.try.sent < int(e.try.limits.MaxWriteBatchSize); i++ {
		before := len(dst)
		number, added := spaces.find(ops, i)
		if as == inArrays {
			dst = appendIndex(dst, e.try.sent)
		}
		if dst, err = ops.AppendOp(dst, i, number, env); err != nil {
			return nil, nil, err
		}
		size := len(dst) - first + len(spaces.docs)
		if e.try.sent > 0 && size > room {
			spaces.drop(ops, i, added)
			return dst[:before], spaces.docs, nil
		}
		if size > most {
			return nil, nil, fault.DocumentTooLargeError{Index: i, Size: size, Limit: most}
		}
		e.try.sent++
	}
	return dst, spaces.docs, nil
}
