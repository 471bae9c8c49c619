package conn

import (
	"net"
	"syscall"
	"time"
)

// Alive checks, without waiting, whether the server has closed the socket or sent something without being asked. Call
// it for a connection that was idle. false means that the connection must not be used again. A socket that cannot be
// checked counts as alive, and the next operation finds out.
func (c *Conn) Alive() bool {
	if c.broken.Load() || c.reader.Buffered() > 0 {
		return false
	}
	nc := c.nc
	if secured, ok := nc.(*securedConn); ok {
		nc = secured.records.Conn // anything that TLS sends now is a close
	}
	return isSilent(nc)
}

// isSilent checks the socket itself, because a read with an expired deadline would not reach it.
func isSilent(nc net.Conn) bool {
	socket, ok := nc.(syscall.Conn)
	if !ok {
		return true
	}
	if err := nc.SetReadDeadline(time.Time{}); err != nil { // the deadline of the last operation may have passed
		return false
	}
	raw, err := socket.SyscallConn()
	if err != nil {
		return false
	}
	silent := true
	err = raw.Read(func(fd uintptr) bool {
		silent = nothingToRead(fd)
		return true
	})
	return err == nil && silent
}
