package exec

import (
	"context"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/bson/emitted"
	"github.com/specdrivers/onion/runtime/fault"
	"github.com/specdrivers/onion/runtime/internal/poison"
)

// encrypts reports whether the command of this try is encrypted.
func (e *execution) encrypts() bool { return e.x.Crypt != nil && e.x.Crypt.Encrypts() }

// appendEncrypted writes the command, encrypted, and leaves its document open.
func (e *execution) appendEncrypted(ctx context.Context, msg []byte, env *emitted.Env) ([]byte, error) {
	buffer, ok := e.x.plainCommands.Get().(*[]byte)
	if !ok {
		buffer = new([]byte)
	}
	cmd, err := e.appendWhole((*buffer)[:0], env)
	if err != nil {
		return nil, e.encodeError(err)
	}
	sealed, err := e.x.Crypt.Encrypt(ctx, e.op.DB, cmd)
	if err != nil {
		return nil, fault.EncryptionError{Operation: e.meta.Operation, Err: err}
	}
	msg = append(msg, sealed[:len(sealed)-1]...)
	e.x.keepCommand(buffer, cmd) // not earlier: the errors above may refer to the command
	return msg, nil
}

// maxKeptCommand limits the memory that the next command may reuse.
const maxKeptCommand = 64 << 10

// keepCommand clears the memory of a command and keeps it for the next one. It clears more than the command, because an
// item that did not fit may follow it.
func (x *Executor) keepCommand(buffer *[]byte, cmd []byte) {
	if cap(cmd) > maxKeptCommand {
		return
	}
	clear(cmd[:cap(cmd)])
	poison.Bytes(cmd)
	*buffer = cmd
	x.plainCommands.Put(buffer)
}

// decrypt decrypts the encrypted values in a reply. Events have already shown the reply as it arrived.
func (e *execution) decrypt(ctx context.Context, reply bson.Raw) (bson.Raw, error) {
	out, err := e.x.Crypt.Decrypt(ctx, reply)
	if err != nil {
		return nil, fault.EncryptionError{Operation: e.meta.Operation, Reply: true, Err: err}
	}
	return out, nil
}
