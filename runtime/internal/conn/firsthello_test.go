package conn_test

import (
	"crypto/tls"
	"net"
	"strings"
	"sync"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/runtime/internal/conn"
	"github.com/specdrivers/onion/tools/mongotest"
)

// Handshake, "Connection handshake": the first message is hello with a declared API or behind a load balancer, else
// legacy hello.
func TestNameOfTheFirstCommand(t *testing.T) {
	api, err := bson.Marshal(bson.Doc("apiVersion", "1"))
	if err != nil {
		t.Fatal(err)
	}
	api = api[4 : len(api)-1] // its element alone
	for name, tt := range map[string]struct {
		handshake conn.Handshake
		want      string
	}{
		"plain":                   {conn.Handshake{}, wire.LegacyHello},
		"with a declared API":     {conn.Handshake{ServerAPI: api}, wire.Hello},
		"behind a load balancer":  {conn.Handshake{LoadBalanced: true}, wire.Hello},
		"both":                    {conn.Handshake{ServerAPI: api, LoadBalanced: true}, wire.Hello},
		"with compressors":        {conn.Handshake{Compressors: []wire.CompressorID{wire.CompressorZlib}}, wire.LegacyHello},
		"with a user to look for": {conn.Handshake{NegotiateUser: "admin.ada"}, wire.LegacyHello},
	} {
		t.Run(name, func(t *testing.T) {
			d := mongotest.Start(t)
			if _, err := dial(t, &conn.Dialer{}, d.Hosts()[0]).Handshake(t.Context(), &tt.handshake); err != nil {
				t.Fatal(err)
			}
			first := d.Commands()[0]
			helloOK, _ := first.Body.Lookup(wire.FieldHelloOK).BooleanOK()
			if !strings.EqualFold(first.Name, tt.want) || !helloOK {
				t.Errorf("sent %v, want %s", first.Body, tt.want)
			}
		})
	}
}

// OCSP, "TLS Requirements": the client sends the server's name, even if the certificate need not match it.
func TestTLSNamesTheServer(t *testing.T) {
	ca := newAuthority(t)
	for name, o := range map[string]conn.TLSOptions{
		"verified": {}, "any hostname": {AllowInvalidHostnames: true}, "any certificate": {AllowInvalidCertificates: true},
		"insecure": {Insecure: true},
	} {
		t.Run(name, func(t *testing.T) {
			var mu sync.Mutex
			var named []string
			certificate := ca.issue(t, "localhost", false)
			address := tlsServer(t, &tls.Config{GetCertificate: func(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
				mu.Lock()
				defer mu.Unlock()
				named = append(named, hello.ServerName)
				return &certificate, nil
			}})
			_, port, err := net.SplitHostPort(address)
			if err != nil {
				t.Fatal(err)
			}
			o.CAFile = ca.caFile(t)
			if err := tryTLS(t, net.JoinHostPort("localhost", port), mustTLS(t, o)); err != nil {
				t.Error(err)
			}
			mu.Lock()
			defer mu.Unlock()
			if len(named) != 1 || named[0] != "localhost" {
				t.Errorf("the server is called %q", named)
			}
		})
	}
}
