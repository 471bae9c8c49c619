package engine

import (
	"crypto/sha256"
)

// UserDigest identifies the owner of a session in its id.
type UserDigest [sha256.Size]byte

// DigestOf returns the digest of a user. Without authentication the user is the empty name in the empty database.
func DigestOf(user, db string) UserDigest {
	if user == "" && db == "" {
		return sha256.Sum256(nil)
	}
	return sha256.Sum256([]byte(user + "@" + db))
}
