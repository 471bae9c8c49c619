// Package conn is one connection to one server: dialing, TLS, SOCKS5, the OP_MSG and OP_COMPRESSED frames, and the
// hello that opens the conversation.
//
// A [Conn] moves whole messages and does not know the commands in them. The caller writes the body of a message into
// the buffer that [Conn.Begin] returns, and passes the finished message to [Conn.Exchange]. Only one goroutine at a
// time may use a Conn, except that any goroutine may call Close.
//
// # One exchange
//
// A message is written in one write, and most replies arrive in one read: the reader's buffer holds header and body of
// a small reply, and a large one is read past the buffer into memory of its own. Connections share readers, because
// most of a pool's connections are idle. A reply owns its memory unless its operation supplied some in [Terms]. Terms
// are arguments of the exchange, not state of the connection: the next operation cannot inherit them.
//
// # How an exchange ends early
//
// A blocked read or write does not see a context. A watch therefore gives the socket the deadline of the context, and
// asks context.AfterFunc to set a deadline in the past if the context is cancelled. There is no goroutine per
// exchange. Stopping the watch waits for a cancellation that has begun: otherwise its deadline could hit the next user
// of the connection.
//
// After an error in the middle of an exchange the meaning of the next bytes is unknown, so the connection is broken for
// good. There are two exceptions. If a message could not be finished or the context had ended before the first byte,
// nothing was written and the connection is as good as before. If only the deadline of the operation passed while the
// reply was awaited, the connection awaits a late reply: FinishReply reads the rest of it, and then the connection may
// be used again.
//
// # Goroutines
//
// Only one goroutine at a time uses a connection, so a Conn has no lock: the flags of IsBroken and Close are atomic,
// and the channel settled lets the end of a watch wait for a cancellation that has begun. Close may come from any
// goroutine. It closes the socket, whereupon a blocked read or write of another goroutine fails with ErrClosed.
//
// The package starts goroutines in two places. A function of the program that may ignore its context or end its
// goroutine, such as a Dialer, runs in a goroutine of its own (package callback), so that the caller returns when the
// context ends; a connection that comes too late is closed. A TLS handshake asks all OCSP responders at once and waits
// for every answer.
//
// # What a peer may claim
//
// The length of a message decides how much is read and not how much is allocated: memory grows with the bytes that
// arrive. Sizes in a hello are held within bounds. A reply that answers another request, a required flag that is
// unknown, and a compressor that was not negotiated are errors that break the connection.
//
// # Invariants
//
//   - IsBroken only ever becomes true.
//   - A connection that is checked in holds nothing of its operation: [Conn.Settled] is true, or the pool closes it.
//   - The program's own Dialer, TLS callbacks and net.Conn never run without a guard: a panic in them is an error.
//
// It is not a pool, it does not authenticate (package auth does, over a Conn), and it publishes no events. The pool,
// auth, topology and exec packages of the runtime may import it.
package conn
