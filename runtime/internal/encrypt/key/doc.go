// Package key finds data keys. It knows the documents of the key vault, and a Ring keeps what it decrypted for a while.
//
// Reading the key vault and decrypting keys is the business of others, whose functions it calls. Keys are handed out as
// copies, which their user wipes.
package key
