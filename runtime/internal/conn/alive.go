package conn

import (
	"net"
	"time"

	"github.com/specdrivers/onion/runtime/internal/callback"
)

// IsAlive checks, without waiting, whether the server has closed the socket or sent something without being asked. Call
// it for a connection that was idle. false means that the connection must not be used again. A socket that cannot be
// checked counts as alive, and the next operation finds out.
func (c *Conn) IsAlive() bool {
	if c.broken.Load() || c.buffered() > 0 {
		return false
	}
	return isSilent(c.nc)
}

// isSilent reports whether nothing has arrived. A socket that fails is not silent.
func isSilent(nc net.Conn) bool {
	silent, err := probe(nc)
	return err == nil && silent
}

// probe checks the socket itself, because a read with an expired deadline would not reach it.
func probe(nc net.Conn) (silent bool, err error) {
	defer callback.Recover(DialerName, &err)
	socket, ok := socketOf(nc)
	if !ok {
		return true, nil
	}
	if err := nc.SetReadDeadline(time.Time{}); err != nil { // the deadline of the last operation may have passed
		return false, err
	}
	raw, err := socket.SyscallConn()
	if err != nil {
		return false, err
	}
	silent = true
	err = raw.Read(func(fd uintptr) bool {
		silent = hasNothingToRead(fd)
		return true
	})
	return silent, err
}
