package exec

import (
	"encoding/binary"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/bson/emitted"
	"github.com/specdrivers/onion/generated/core/wire"
)

// appendSequences writes the document sequences of a command, as many items as one message takes. commandSize is the size
// of the command without the fields that every command has.
func (e *execution) appendSequences(dst []byte, as form, commandSize int, env *emitted.Env) ([]byte, error) {
	ops, ok := e.op.Command.(Operations)
	if !ok && e.op.Batch == nil {
		return dst, nil
	}
	dst, start := as.begin(dst, e.meta.Sequence)
	if !ok {
		dst, err := e.appendItems(dst, as, env)
		if err != nil {
			return nil, err
		}
		return as.end(dst, start), nil
	}
	dst, names, err := e.appendOps(dst, ops, as, commandSize, env)
	if err != nil {
		return nil, err
	}
	dst, start = as.begin(as.end(dst, start), wire.CompanionIdentifier(e.meta.Command))
	for i := 0; len(names) > 0; i++ {
		n := binary.LittleEndian.Uint32(names)
		if as == inArrays {
			dst = appendIndex(dst, i)
		}
		dst, names = append(dst, names[:n]...), names[n:]
	}
	return as.end(dst, start), nil
}

// appendWhole writes a command with as many of its items as one encrypted command can hold.
func (e *execution) appendWhole(dst []byte, env *emitted.Env) (bson.Raw, error) {
	dst, err := e.op.Command.Append(dst, env)
	if err != nil {
		return nil, err
	}
	if dst, err = e.appendSequences(dst, inArrays, 0, env); err != nil {
		return nil, err
	}
	return bson.AppendDocumentEnd(dst, 0), nil
}
