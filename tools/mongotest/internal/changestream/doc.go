// Package changestream turns the entries of an oplog into the events of a change stream: which entries a stream sees, the
// documents that tell of them, and the resume tokens that say where a stream stands.
//
// It is pure: the caller reads the oplog, waits for it, and supplies documents that have to be looked up. Tokens are key
// strings in hexadecimal as a server writes them, without the type bits that tell int from double.
package changestream
