package uri

import (
	"net"
	"net/netip"
	"strconv"
	"strings"
)

// defaultPort is the port of a host that names none.
const defaultPort = "27017"

// parseHosts reads the comma-separated list of hosts. Connection string, "Host Information".
func (cs *ConnString) parseHosts(s string) error {
	if s == "" {
		return wrong("there is no host (a path to a unix domain socket must be percent-encoded)")
	}
	list := strings.Split(s, ",")
	if cs.SRV {
		return cs.parseSRVName(list)
	}
	seen := map[string]bool{}
	for _, item := range list {
		host, err := parseHost(item)
		if err != nil {
			return err
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
		return wrong("a mongodb+srv:// string names exactly one host")
	}
	name, err := unescape(list[0])
	switch {
	case err != nil:
		return wrong("the host is not percent-encoded correctly")
	case strings.ContainsAny(name, ":[]"):
		return wrong("the host of a mongodb+srv:// string has no port")
	case strings.Trim(name, ".") == "":
		return wrong("the host is empty")
	}
	cs.Hosts = []string{strings.ToLower(name)}
	return nil
}

// parseHost reads one host: a name or address with an optional port, or the path of a unix domain socket.
func parseHost(item string) (string, error) {
	s, err := unescape(item)
	if err != nil {
		return "", wrong("a host is not percent-encoded correctly")
	}
	if strings.HasSuffix(s, ".sock") && strings.ContainsAny(s, "/\\") {
		return s, nil // without a slash it is a host whose name looks like a path
	}
	if strings.ContainsAny(s, "/\\") {
		return "", wrong("unsupported host '" + s + "': the path of a unix domain socket ends in .sock")
	}
	host, port := s, defaultPort
	switch {
	case strings.HasPrefix(s, "["):
		end := strings.IndexByte(s, ']')
		if end < 0 {
			return "", wrong("host '" + s + "' has no closing bracket")
		}
		if host = s[1:end]; !isIPv6(host) {
			return "", wrong("host '" + s + "' is not an IPv6 address")
		}
		if rest := s[end+1:]; rest != "" {
			if rest[0] != ':' {
				return "", wrong("host '" + s + "' has something other than a port behind the bracket")
			}
			port = rest[1:]
		}
	case strings.Contains(s, ":"):
		host, port, _ = strings.Cut(s, ":")
	}
	if host == "" {
		return "", wrong("a host is empty")
	}
	if strings.ContainsAny(host, " @") {
		return "", wrong("host '" + s + "' is not a host name")
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
		return "", wrong("host '" + s + "' has a port that is not a number from 1 to 65535 (an IPv6 address stands in brackets)")
	}
	return net.JoinHostPort(strings.ToLower(host), port), nil
}

func isIPv6(s string) bool {
	address, err := netip.ParseAddr(s)
	return err == nil && address.Is6()
}
