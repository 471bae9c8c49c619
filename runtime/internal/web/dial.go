package web

import (
	"bufio"
	"context"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"

	"golang.org/x/net/proxy"
)

// proxyOf is the proxy that a request goes through, nil when there is none.
func (c Client) proxyOf(r *http.Request) (*url.URL, error) {
	if r.URL.Hostname() == "" || r.URL.Scheme != "http" && r.URL.Scheme != "https" {
		return nil, errors.New("this is no address of a web server")
	}
	find := c.proxy
	if find == nil {
		find = http.ProxyFromEnvironment
	}
	through, err := find(r)
	if err != nil || through == nil {
		return nil, err
	}
	switch through.Scheme {
	case "http", "https", "socks5", "socks5h":
		return through, nil
	}
	return nil, fmt.Errorf("a proxy of the kind %q is not known", through.Scheme)
}

func isSOCKS(through *url.URL) bool { return through.Scheme == "socks5" || through.Scheme == "socks5h" }

// dial opens a connection to the server of an address, or to the proxy. A SOCKS proxy has then connected to the server.
func dial(ctx context.Context, to, through *url.URL) (net.Conn, error) {
	if through == nil {
		return new(net.Dialer).DialContext(ctx, "tcp", hostPort(to))
	}
	if !isSOCKS(through) {
		return new(net.Dialer).DialContext(ctx, "tcp", hostPort(through))
	}
	var auth *proxy.Auth
	if through.User != nil {
		password, _ := through.User.Password()
		auth = &proxy.Auth{User: through.User.Username(), Password: password}
	}
	socks, err := proxy.SOCKS5("tcp", hostPort(through), auth, nil)
	if err != nil {
		return nil, err
	}
	return socks.(proxy.ContextDialer).DialContext(ctx, "tcp", hostPort(to))
}

// hostPort is where the server of an address listens.
func hostPort(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443", "socks5": "1080", "socks5h": "1080"}[u.Scheme]
	}
	return net.JoinHostPort(u.Hostname(), port)
}

// secure runs the TLS handshake with the server of an address.
func secure(ctx context.Context, nc net.Conn, with *url.URL) (net.Conn, error) {
	secured := tls.Client(nc, &tls.Config{ServerName: with.Hostname(), MinVersion: tls.VersionTLS12})
	return secured, secured.HandshakeContext(ctx)
}

// tunnel makes a proxy pass on bytes to a server. Nothing follows its answer, so that the buffer has read no more than that.
//
// RFC 9110, "CONNECT".
func tunnel(nc net.Conn, to, through *url.URL) error {
	at := hostPort(to)
	if _, err := io.WriteString(nc, "CONNECT "+at+" HTTP/1.1\r\nHost: "+at+"\r\n"+authorization(through)+"\r\n"); err != nil {
		return err
	}
	response, err := readHead(bufio.NewReader(io.LimitReader(nc, maxHeadSize)))
	if err == nil && response.StatusCode/100 != 2 {
		err = fmt.Errorf("the proxy %s answered %s", through.Host, response.Status)
	}
	return err
}

// authorization is the header by which a proxy knows its user, "" when it has none.
func authorization(through *url.URL) string {
	if through.User == nil {
		return ""
	}
	password, _ := through.User.Password()
	user := through.User.Username() + ":" + password
	return "Proxy-Authorization: Basic " + base64.StdEncoding.EncodeToString([]byte(user)) + "\r\n"
}
