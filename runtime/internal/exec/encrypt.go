package exec

import (
	"context"
	"encoding/binary"
	"strconv"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/core/command"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/runtime/fault"
	"github.com/specdrivers/onion/runtime/internal/poison"
)

// Crypt encrypts commands and decrypts replies. It is an interface so that only programs that encrypt
// link its implementation.
type Crypt interface {
	// Encrypt returns the command to send to a database. The command has none of the fields that every command may
	// have, and no section of kind 1: the items of such a section are in arrays.
	Encrypt(ctx context.Context, db string, cmd bson.Raw) (bson.Raw, error)

	// Decrypt returns a reply with its encrypted values decrypted.
	Decrypt(ctx context.Context, reply bson.Raw) (bson.Raw, error)

	// Encrypts reports whether commands are encrypted at all.
	Encrypts() bool
}

// encryptedBatch limits the bytes of documents in one encrypted command, because encryption makes documents larger.
//
// Client Side Encryption, "Size limits for Write Commands".
const encryptedBatch = 2 << 20

// encrypts reports whether the command of this try is encrypted.
func (e *execution) encrypts() bool { return e.x.Crypt != nil && e.x.Crypt.Encrypts() }

// appendEncrypted writes the command, encrypted, and leaves its document open.
func (e *execution) appendEncrypted(ctx context.Context, msg []byte, env *command.Env) ([]byte, error) {
	buffer, ok := e.x.whole.Get().(*[]byte)
	if !ok {
		buffer = new([]byte)
	}
	cmd, err := e.wholeCommand((*buffer)[:0], env)
	if err != nil {
		return nil, e.encodeError(err)
	}
	sealed, err := e.x.Crypt.Encrypt(ctx, e.op.DB, cmd)
	if err != nil {
		return nil, fault.EncryptionError{Operation: e.meta.Operation, Err: err}
	}
	msg = append(msg, sealed[:len(sealed)-1]...)
	e.x.keepCommand(buffer, cmd) // only now: an error above may still refer to the command
	return msg, nil
}

// keptCommand limits the memory that is kept for the next command.
const keptCommand = 64 << 10

// keepCommand keeps the memory of a command for the next one, and clears it. Behind the command may be an item that did not fit.
func (x *Executor) keepCommand(buffer *[]byte, cmd []byte) {
	if cap(cmd) > keptCommand {
		return
	}
	clear(cmd[:cap(cmd)])
	poison.Bytes(cmd)
	*buffer = cmd
	x.whole.Put(buffer)
}

// wholeCommand is the command together with the items that would otherwise be in sections of kind 1. It has as many of
// them as one command can hold.
func (e *execution) wholeCommand(dst []byte, env *command.Env) (bson.Raw, error) {
	dst, err := e.op.Command.Append(dst, env)
	if err != nil {
		return nil, err
	}
	if ops, ok := e.op.Command.(Operations); ok {
		dst, err = e.appendOperationArrays(dst, ops, env)
	} else if e.op.Batch != nil {
		dst, err = e.appendBatchArray(dst, env)
	}
	if err != nil {
		return nil, err
	}
	return bson.AppendDocumentEnd(dst, 0), nil
}

// appendIndex starts an element in an array of documents.
func appendIndex(dst []byte, i int) []byte {
	return append(strconv.AppendInt(append(dst, byte(bsontype.EmbeddedDocument)), int64(i), 10), 0)
}

// appendBatchArray is appendBatch for an encrypted command. A single document may be larger than the limit if it is
// alone.
func (e *execution) appendBatchArray(dst []byte, env *command.Env) ([]byte, error) {
	dst, start := bson.AppendArrayElementStart(dst, e.meta.Sequence)
	e.try.sent = 0
	for i, total := e.op.From, 0; i < e.op.Batch.Items() && e.try.sent < int(e.try.limits.MaxWriteBatchSize); i++ {
		before := len(dst)
		dst = appendIndex(dst, e.try.sent)
		head := len(dst)
		var err error
		if dst, err = e.op.Batch.AppendItem(dst, i, env); err != nil {
			return nil, err
		}
		size := len(dst) - head
		total += size
		if e.try.sent > 0 && (total > encryptedBatch || size > e.itemLimit()) {
			dst = dst[:before]
			break
		}
		if limit := e.itemLimit(); size > limit {
			return nil, fault.DocumentTooLargeError{Index: i, Size: size, Limit: limit}
		}
		e.try.sent++
	}
	return bson.AppendDocumentEnd(dst, start), nil
}

// appendOperationArrays is appendOperations for an encrypted command.
func (e *execution) appendOperationArrays(dst []byte, ops Operations, env *command.Env) ([]byte, error) {
	names := namespaces{number: map[string]int32{}}
	dst, start := bson.AppendArrayElementStart(dst, e.meta.Sequence)
	first := len(dst)
	e.try.sent = 0
	for i := e.op.From; i < ops.Items() && e.try.sent < int(e.try.limits.MaxWriteBatchSize); i++ {
		before := len(dst)
		number, added := names.find(ops, i)
		dst = appendIndex(dst, e.try.sent)
		var err error
		if dst, err = ops.AppendOp(dst, i, number, env); err != nil {
			return nil, err
		}
		size := len(dst) - first + len(names.docs)
		if e.try.sent > 0 && size > encryptedBatch {
			dst = dst[:before]
			names.drop(ops, i, added)
			break
		}
		if limit := int(e.try.limits.MaxBSONObjectSize); size > limit {
			return nil, fault.DocumentTooLargeError{Index: i, Size: size, Limit: limit}
		}
		e.try.sent++
	}
	dst = bson.AppendDocumentEnd(dst, start)
	dst, start = bson.AppendArrayElementStart(dst, wire.CompanionIdentifier(e.meta.Command))
	for i, rest := 0, bson.Raw(names.docs); len(rest) > 0; i++ {
		n := binary.LittleEndian.Uint32(rest)
		dst = append(appendIndex(dst, i), rest[:n]...)
		rest = rest[n:]
	}
	return bson.AppendDocumentEnd(dst, start), nil
}

// decrypt decrypts the encrypted values in a reply. Events have already shown the reply as it arrived.
func (e *execution) decrypt(ctx context.Context, reply bson.Raw) (bson.Raw, error) {
	out, err := e.x.Crypt.Decrypt(ctx, reply)
	if err != nil {
		return nil, fault.EncryptionError{Operation: e.meta.Operation, Reply: true, Err: err}
	}
	return out, nil
}
