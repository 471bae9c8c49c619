// Package changestream turns oplog entries into change events. It decides which entries a stream sees, builds the event
// documents, and makes the resume tokens that mark a position in a stream.
//
// It does no I/O. The caller reads the oplog, waits for it, and looks up documents. Tokens are key strings in
// hexadecimal, in the server's format, but without the type bits that distinguish an int from a double.
package changestream
