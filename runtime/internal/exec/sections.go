package exec

import (
	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/bson/emitted"
	"github.com/specdrivers/onion/runtime/internal/conn"
)

// appendSections writes the sections of kind 1 after a command. An encrypted command has none.
func (e *execution) appendSections(msg []byte, commandSize int, env *emitted.Env) ([]byte, error) {
	if ops, ok := e.op.Command.(Operations); ok {
		return e.appendOperations(msg, ops, commandSize, env)
	}
	if e.op.Batch == nil {
		return msg, nil
	}
	msg, start := conn.BeginSequence(msg, e.meta.Sequence)
	msg, err := e.appendItems(msg, inSections, env)
	if err != nil {
		return nil, err
	}
	return conn.EndSequence(msg, start), nil
}

// appendWhole writes a command with as many of its items as one encrypted command can hold.
func (e *execution) appendWhole(dst []byte, env *emitted.Env) (bson.Raw, error) {
	dst, err := e.op.Command.Append(dst, env)
	if err != nil {
		return nil, err
	}
	if ops, ok := e.op.Command.(Operations); ok {
		dst, err = e.appendOperationArrays(dst, ops, env)
	} else if e.op.Batch != nil {
		var start int
		dst, start = bson.AppendArrayElementStart(dst, e.meta.Sequence)
		if dst, err = e.appendItems(dst, inArrays, env); err == nil {
			dst = bson.AppendDocumentEnd(dst, start)
		}
	}
	if err != nil {
		return nil, err
	}
	return bson.AppendDocumentEnd(dst, 0), nil
}
