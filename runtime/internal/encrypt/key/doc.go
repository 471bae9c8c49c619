// Package key finds data keys. It knows the documents of the key vault, and a Ring keeps what it decrypted for a while.
//
// It calls functions that its owner supplies to read the key vault and to decrypt keys. It hands out copies of keys, which
// the caller wipes.
package key
