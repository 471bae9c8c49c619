// Package conn is one connection to one server: dialing, TLS, SOCKS5, the OP_MSG and OP_COMPRESSED frames, and the hello
// that opens the conversation.
//
// A [Conn] moves whole messages and knows nothing of the commands inside them: the caller writes the body of a message
// into the buffer that [Conn.Begin] gives it and hands the finished message to [Conn.RoundTrip]. A Conn is used by one
// goroutine at a time; Close alone may be called from another.
//
// It is not a pool, it does not authenticate (see the auth package, which talks over a Conn), and it publishes no events.
// The pool, auth, topology and exec packages of the runtime may import it.
package conn
