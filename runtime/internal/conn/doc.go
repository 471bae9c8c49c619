// Package conn is one connection to one server: dialing, TLS, SOCKS5, the OP_MSG and OP_COMPRESSED frames, and the hello
// that opens the conversation.
//
// A [Conn] moves whole messages and does not know the commands in them. The caller writes the body of a message into
// the buffer that [Conn.Begin] returns, and passes the finished message to [Conn.RoundTrip]. Only one goroutine at a
// time may use a Conn, except that any goroutine may call Close.
//
// It is not a pool, it does not authenticate (package auth does, over a Conn), and it publishes no events. The pool,
// auth, topology and exec packages of the runtime may import it.
package conn
