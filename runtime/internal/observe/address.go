package observe

import (
	"net"
	"strconv"
)

// HostPort splits an address into host and port for messages and spans. The path of a unix domain socket has port 0.
func HostPort(address string) (string, int) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return address, 0
	}
	n, err := strconv.Atoi(port)
	if err != nil {
		return address, 0
	}
	return host, n
}
