package fault

import (
	"errors"
	"fmt"
)

// EncryptionError says that client-side encryption failed: a command could not be encrypted, so nothing was sent, or a
// reply could not be decrypted.
type EncryptionError struct {
	Operation string // such as find
	Reply     bool   // the server carried the command out
	Err       error
}

func (e EncryptionError) Error() string {
	if e.Reply {
		return fmt.Sprintf("mongo: %s: decrypting the reply: %v", e.Operation, e.Err)
	}
	return fmt.Sprintf("mongo: %s: encrypting the command, which was not sent: %v", e.Operation, e.Err)
}

// Unwrap returns what went wrong: an error of the key vault, of a key management service, or of query analysis.
func (e EncryptionError) Unwrap() error { return e.Err }

// As lets errors.As fill a pointer to the error, too.
func (e EncryptionError) As(target any) bool { return fill(e, target) }

// The parts of client-side encryption that can fail. They arrive wrapped: use errors.Is.
var (
	// ErrQueryAnalysis says that a command cannot be encrypted, whatever the keys. It queries or changes an encrypted
	// field in a way that encryption does not allow, or that is not known to be safe.
	ErrQueryAnalysis = errors.New("query analysis")
	// ErrKeyVault says that a data key could not be read from the key vault, or does not exist.
	ErrKeyVault = errors.New("key vault")
	// ErrKMS says that a key management service failed to encrypt or decrypt a data key.
	ErrKMS = errors.New("key management service")
)

// partError is an error of a part of client-side encryption. It has the text of err alone.
type partError struct{ part, err error }

func (e *partError) Error() string   { return e.err.Error() }
func (e *partError) Unwrap() []error { return []error{e.err, e.part} }

// PartOfEncryption adds the part of client-side encryption in which err arose, unless err already has one. It returns
// nil for a nil err.
func PartOfEncryption(part, err error) error {
	if _, known := errors.AsType[*partError](err); err == nil || known {
		return err
	}
	return &partError{part, err}
}
