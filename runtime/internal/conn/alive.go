package conn

import (
	"crypto/tls"
	"net"
	"syscall"
	"time"
)

// Alive looks, without waiting, whether the server has closed the socket or sent something without being asked. It is
// for a connection that was idle: false means that it must not be used again. A socket that cannot be looked at counts
// as alive: the next operation finds out.
func (c *Conn) Alive() bool {
	if c.broken.Load() || c.reader.Buffered() > 0 {
		return false
	}
	nc := c.nc
	if secured, ok := nc.(*tls.Conn); ok {
		nc = secured.NetConn() // whatever TLS has to say now is a close
	}
	return isSilent(nc)
}

// isSilent looks at the socket itself: a read with a deadline that has passed would not reach it.
func isSilent(nc net.Conn) bool {
	socket, ok := nc.(syscall.Conn)
	if !ok {
		return true
	}
	if err := nc.SetReadDeadline(time.Time{}); err != nil { // the last operation's may have passed
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
