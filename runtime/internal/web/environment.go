package web

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
)

// proxyFor is the proxy that the environment names for an address, nil when there is none. It reads the variables as
// http.ProxyFromEnvironment does, except that host names are not translated from Unicode.
func proxyFor(to *url.URL, getenv func(string) string) (*url.URL, error) {
	variable := ""
	switch to.Scheme {
	case "http":
		variable = cmp.Or(getenv("http_proxy"), getenv("HTTP_PROXY"))
	case "https":
		variable = cmp.Or(getenv("https_proxy"), getenv("HTTPS_PROXY"))
	default:
		return nil, fmt.Errorf("the scheme %q is neither http nor https", to.Scheme)
	}
	if to.Hostname() == "" {
		return nil, errors.New("the address has no host")
	}
	through := parseProxy(variable)
	if through == nil {
		return nil, nil
	}
	if to.Scheme == "http" && getenv("REQUEST_METHOD") != "" {
		return nil, errors.New("the environment is that of a CGI program, where whoever sends a request may set HTTP_PROXY")
	}
	if isDirect(to, cmp.Or(getenv("no_proxy"), getenv("NO_PROXY"))) {
		return nil, nil
	}
	switch through.Scheme {
	case "http", "https", "socks5", "socks5h":
		return through, nil
	}
	return nil, fmt.Errorf("a proxy of the kind %q is not known", through.Scheme)
}

// parseProxy reads an address or a host, nil when it is neither.
func parseProxy(text string) *url.URL {
	if text == "" {
		return nil
	}
	through, err := url.Parse(text)
	if err != nil || through.Scheme == "" || through.Host == "" {
		if host, err := url.Parse("http://" + text); err == nil {
			return host
		}
	}
	return through
}

func isSOCKS(through *url.URL) bool { return through.Scheme == "socks5" || through.Scheme == "socks5h" }

// isDirect reports whether an address is reached without a proxy: it is this machine, or in a list of exceptions.
func isDirect(to *url.URL, exceptions string) bool {
	host, port := to.Hostname(), portOf(to)
	ip := net.ParseIP(host)
	if host == "localhost" || ip.IsLoopback() {
		return true
	}
	host = strings.ToLower(host)
	for exception := range strings.SplitSeq(strings.ToLower(exceptions), ",") {
		if exception = strings.TrimSpace(exception); exception == "*" || exception != "" && excepts(exception, host, port, ip) {
			return true
		}
	}
	return false
}

// excepts reports whether an exception covers a host: as a network, an address, a domain with all hosts below it, or with a
// dot before it only those.
func excepts(exception, host, port string, ip net.IP) bool {
	if _, network, err := net.ParseCIDR(exception); err == nil {
		return ip != nil && network.Contains(ip)
	}
	name, wanted, err := net.SplitHostPort(exception)
	if err != nil {
		name, wanted = exception, ""
	}
	if name == "" || wanted != "" && wanted != port {
		return false
	}
	if own := net.ParseIP(name); own != nil || ip != nil {
		return own != nil && own.Equal(ip)
	}
	domain := "." + name
	if strings.HasPrefix(name, ".") || strings.HasPrefix(name, "*.") {
		domain = name[strings.IndexByte(name, '.'):]
	}
	return strings.HasSuffix(host, domain) || host == name
}
