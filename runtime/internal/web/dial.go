package web

import (
	"bufio"
	"context"
	"crypto/tls"
	"encoding/base64"
	"fmt"
	"io"
	"net"
	"net/url"

	"golang.org/x/net/proxy"
)

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
func hostPort(u *url.URL) string { return net.JoinHostPort(u.Hostname(), portOf(u)) }

func portOf(u *url.URL) string {
	port := u.Port()
	switch {
	case port != "":
		return port
	case isSOCKS(u):
		return "1080"
	case u.Scheme == "https":
		return "443"
	}
	return "80"
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
	answer, _, err := readHead(bufio.NewReader(io.LimitReader(nc, maxHeadSize)))
	if err == nil && answer.Status/100 != 2 {
		err = fmt.Errorf("the proxy %s answered %s", through.Host, answer.Line)
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
