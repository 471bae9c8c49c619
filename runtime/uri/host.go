package uri

import (
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/specdrivers/onion/generated/core/uritable"
)

// parseHosts reads the comma-separated list of hosts. Connection string, "Host Information".
//
// Its errors number the hosts and do not quote them. If the userinfo has an unescaped character, or there is no host,
// the text is a user name and a password.
func (cs *ConnString) parseHosts(s string) error {
	if s == "" {
		return refuse("there is no host (a path to a unix domain socket must be percent-encoded)")
	}
	list := strings.Split(s, ",")
	if cs.SRV {
		return cs.parseSRVName(list)
	}
	seen := map[string]bool{}
	for i, item := range list {
		host, err := parseHost(item)
		if err != nil {
			return refuse(fmt.Sprintf("host %d of %d %v", i+1, len(list), err))
		}
		if seen[host] {
			continue
		}
		seen[host] = true
		cs.Hosts = append(cs.Hosts, host)
	}
	return nil
}

// parseSRVName checks the one name that a mongodb+srv string has. Initial DNS Seedlist Discovery, "Validation Before
// Querying DNS".
func (cs *ConnString) parseSRVName(list []string) error {
	if len(list) != 1 {
		return refuse("a mongodb+srv:// string names exactly one host")
	}
	name, err := unescape(list[0])
	switch {
	case err != nil:
		return refuse("the host is not percent-encoded correctly")
	case strings.ContainsAny(name, ":[]"):
		return refuse("a mongodb+srv:// string takes a name without a port: the DNS records have the ports; for one server use mongodb://")
	case strings.Trim(name, ".") == "":
		return refuse("the host is empty")
	case !isHostName(name):
		return refuse("the host has a character that is not allowed in a host name")
	}
	cs.Hosts = []string{strings.ToLower(name)}
	return nil
}

// A hostError is the rest of a sentence that begins with the host.
type hostError string

func (e hostError) Error() string { return string(e) }

const (
	hostEscape  = hostError("is not percent-encoded correctly")
	hostSlash   = hostError("has a slash: the path of a unix domain socket ends in .sock and is percent-encoded")
	hostBracket = hostError("has no closing bracket")
	hostNotIPv6 = hostError("is in brackets and not an IPv6 address")
	hostBehind  = hostError("has something other than a port after the bracket")
	hostEmpty   = hostError("is empty")
	hostName    = hostError("has a character that is not allowed in a host name: " +
		"separate hosts by commas, and replace variables such as ${HOST} first")
	hostPort = hostError("has a port that is not a number from 1 to 65535: separate hosts by commas, put an IPv6 address in " +
		"brackets, and percent-encode the characters " + mustEscape + " in user name and password")
)

// parseHost reads one host: a name or address with an optional port, or the path of a unix domain socket.
func parseHost(item string) (string, error) {
	s, err := unescape(item)
	if err != nil {
		return "", hostEscape
	}
	if strings.HasSuffix(s, ".sock") && strings.ContainsAny(s, "/\\") {
		if strings.ContainsFunc(s, unicode.IsControl) || !utf8.ValidString(s) {
			return "", hostName
		}
		return s, nil // without a slash it is a host with a name that looks like a path
	}
	if strings.ContainsAny(s, "/\\") {
		return "", hostSlash
	}
	host, port, err := splitPort(s)
	if err != nil {
		return "", err
	}
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil || n == 0 {
		return "", hostPort
	}
	return net.JoinHostPort(strings.ToLower(host), strconv.FormatUint(n, 10)), nil // 027017 is 27017
}

// splitPort separates the port from a host and checks the host.
func splitPort(s string) (host, port string, err error) {
	if strings.HasPrefix(s, "[") {
		return splitIPv6(s)
	}
	host, port, found := strings.Cut(s, ":")
	switch {
	case !found:
		port = uritable.DefaultPort
	case strings.Contains(port, ":"):
		return "", "", hostPort // an IPv6 address without brackets
	}
	switch {
	case host == "":
		return "", "", hostEmpty
	case !isHostName(host):
		return "", "", hostName
	}
	return host, port, nil
}

func splitIPv6(s string) (host, port string, err error) {
	host, rest, closed := strings.Cut(s[1:], "]")
	switch {
	case !closed:
		return "", "", hostBracket
	case !isIPv6(host):
		return "", "", hostNotIPv6
	case rest == "":
		return host, uritable.DefaultPort, nil
	case rest[0] != ':':
		return "", "", hostBehind
	}
	return host, rest[1:], nil
}

func isIPv6(s string) bool {
	address, err := netip.ParseAddr(s)
	return err == nil && address.Is6() && (address.Zone() == "" || isHostName(address.Zone()))
}

// isHostName reports whether a text can be a host name. It may have letters, digits, hyphens, underscores and dots.
// Letters need not be ASCII.
func isHostName(s string) bool {
	if !utf8.ValidString(s) {
		return false
	}
	return !strings.ContainsFunc(s, func(r rune) bool {
		if r >= utf8.RuneSelf {
			return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
		}
		return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("-_.", r))
	})
}
