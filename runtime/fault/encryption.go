package fault

import "fmt"

// EncryptionError says that client-side encryption failed: a command could not be encrypted, so that nothing was sent, or
// a reply could not be decrypted.
type EncryptionError struct {
	Operation string // such as find
	Reply     bool   // the server carried the command out
	Err       error
}

func (e EncryptionError) Error() string {
	if e.Reply {
		return fmt.Sprintf("mongo: %s: decrypting the reply: %v", e.Operation, e.Err)
	}
	return fmt.Sprintf("mongo: %s: encrypting the command, of which nothing was sent: %v", e.Operation, e.Err)
}

// Unwrap returns what went wrong: an error of the key vault, of a key management service, or of query analysis.
func (e EncryptionError) Unwrap() error { return e.Err }

// As lets errors.As fill a pointer to the error, too.
func (e EncryptionError) As(target any) bool { return fill(e, target) }
