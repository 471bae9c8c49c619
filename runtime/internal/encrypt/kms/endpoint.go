package kms

import (
	"errors"
	"net"
	"strconv"
	"strings"
)

// endpoint is the host and the port of a service.
type endpoint struct {
	host string
	port int
	main int // the default port, which the header Host leaves out
}

// parseEndpoint reads a host, perhaps with a port. Without anyHost, the host must have a dot.
func parseEndpoint(text string, anyHost bool, port int) (endpoint, error) {
	e := endpoint{host: text, port: port, main: port}
	if host, number, ok := strings.Cut(text, ":"); ok {
		n, err := strconv.ParseUint(number, 10, 16)
		if err != nil || n == 0 {
			return e, errors.New("invalid endpoint: what follows the colon is not a port")
		}
		e.host, e.port = host, int(n)
	}
	if e.host == "" || !anyHost && !strings.Contains(e.host, ".") {
		return e, errors.New("invalid endpoint: a host with a dot was expected")
	}
	for _, c := range []byte(e.host) {
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '.' || c == '-' || c == '_') {
			return e, errors.New("invalid endpoint: a character in it cannot be part of a host name")
		}
	}
	return e, nil
}

// address returns the address to connect to.
func (e endpoint) address() string { return net.JoinHostPort(e.host, strconv.Itoa(e.port)) }

// header returns the value of the header Host.
func (e endpoint) header() string {
	if e.port == e.main {
		return e.host
	}
	return e.address()
}

// domain returns the host without its first label.
func (e endpoint) domain() string {
	_, rest, _ := strings.Cut(e.host, ".")
	return rest
}
