package conn

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"time"
)

type direction uint8

const (
	reading direction = 1 << iota
	writing
	both = reading | writing
)

// expiredDeadline is a deadline that has always passed. Setting it wakes a blocked read or write.
var expiredDeadline = time.Unix(1, 0)

// watcher applies a context's deadline and cancellation to a socket during one read or write, or both.
type watcher struct {
	ctx     context.Context
	conn    *Conn
	release func() bool
}

// watch sets the socket's deadline. A context that can neither expire nor be cancelled costs nothing.
func (c *Conn) watch(ctx context.Context, dir direction) (watcher, error) {
	if err := ctx.Err(); err != nil {
		return watcher{}, &interruptedError{cause: context.Cause(ctx), err: err}
	}
	deadline, _ := ctx.Deadline()
	if c.ioTimeout > 0 {
		if bound := time.Now().Add(c.ioTimeout); deadline.IsZero() || bound.Before(deadline) {
			deadline = bound
		}
	}
	if err := c.setDeadline(dir, deadline); err != nil {
		return watcher{}, err
	}
	w := watcher{ctx: ctx, conn: c}
	if ctx.Done() != nil {
		if c.interrupt == nil {
			c.prepareInterrupt()
		}
		w.release = context.AfterFunc(ctx, c.interrupt)
	}
	return w, nil
}

// prepareInterrupt makes the channel and function that every watch of the connection shares. Sharing is safe: there is
// one watch at a time, and its stop receives the signal that its own interruption sent.
func (c *Conn) prepareInterrupt() {
	settled := make(chan struct{}, 1)
	c.settled = settled
	c.interrupt = func() {
		defer func() { settled <- struct{}{} }() // deferred, because a connection of the program may end the goroutine
		c.nc.SetDeadline(expiredDeadline)        // a socket that refuses a deadline is already closed
	}
}

// setDeadline sets the deadline of the socket. It does nothing if the socket has none and needs none, because the call
// to the poller takes longer than most of what the driver does for an operation.
func (c *Conn) setDeadline(dir direction, t time.Time) error {
	if t.IsZero() && c.limited&dir == 0 {
		return nil
	}
	if t.IsZero() {
		c.limited &^= dir
	} else {
		c.limited |= dir
	}
	switch dir {
	case reading:
		return c.nc.SetReadDeadline(t)
	case writing:
		return c.nc.SetWriteDeadline(t)
	default:
		return c.nc.SetDeadline(t)
	}
}

// stop ends the watch and says why the read or write failed. If the context ended, stop names it as the cause, because
// the socket itself only reports a timeout. If a cancellation has begun, stop waits for it:
// its deadline must not hit the next user of the connection.
func (w watcher) stop(err error) error {
	if w.release != nil && !w.release() {
		<-w.conn.settled
		w.conn.limited = both
	}
	if err == nil {
		return nil
	}
	if ended := w.ctx.Err(); ended != nil {
		if errors.Is(ended, context.Canceled) && isTimeout(err) {
			err = nil // the interrupt set the deadline, so this is not a timeout
		}
		return &interruptedError{cause: context.Cause(w.ctx), err: errors.Join(ended, err)}
	}
	if deadline, ok := w.ctx.Deadline(); ok && errors.Is(err, os.ErrDeadlineExceeded) && !time.Now().Before(deadline) {
		// The socket's timer may fire a moment before the context's own.
		return &interruptedError{cause: context.DeadlineExceeded, err: err}
	}
	return err
}

// interruptedError is the error of a read or write that ended early because its context ended.
type interruptedError struct {
	cause error // the cause that the code gave when it ended the context
	err   error // the context's own error and the socket's error
}

// Error names only the cause, because the socket's error only says that it was interrupted.
func (e *interruptedError) Error() string   { return e.cause.Error() }
func (e *interruptedError) Unwrap() []error { return []error{e.cause, e.err} }
func (e *interruptedError) Timeout() bool   { return isTimeout(e.cause) }

// isTimeout reports whether err means that time ran out.
func isTimeout(err error) bool {
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, os.ErrDeadlineExceeded) {
		return true
	}
	var netErr net.Error
	return errors.As(err, &netErr) && netErr.Timeout()
}

// isNetwork reports whether err comes from the socket and not from the data that was read.
func isNetwork(err error) bool {
	var netErr net.Error
	return isTimeout(err) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, net.ErrClosed) || errors.Is(err, context.Canceled) || errors.As(err, &netErr)
}
