package exec

import (
	"context"

	"github.com/specdrivers/onion/bson"
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
