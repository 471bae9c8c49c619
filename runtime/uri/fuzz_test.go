package uri_test

import (
	"context"
	"net"
	"strings"
	"testing"

	"github.com/specdrivers/onion/runtime/uri"
)

// FuzzParse parses any text: no panic, no password in an error, and a redacted form without the password.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"mongodb://localhost", "mongodb://a:1,b:2/db?replicaSet=rs&w=majority", "mongodb://u:s3cr3t@[::1]:27017/?authSource=x",
		"mongodb+srv://u:s3cr3t@cluster.example.com/?srvMaxHosts=2", "mongodb://%2Ftmp%2Fmongodb.sock",
		"mongodb://h/?authMechanism=MONGODB-OIDC&authMechanismProperties=ENVIRONMENT:azure,TOKEN_RESOURCE:a%3Ab",
		"mongodb://h/?readPreferenceTags=dc:ny,rack:1&readPreferenceTags=", "mongodb://h/?tls=true&tlsInsecure=%zz", "mongodb://:@/?",
		"mongodb://h/?connectTimeoutMS=99999999999999999999", "://", "mongodb://a,,b", "mongodb://u%3A@h", "mongodb://[::1%25eth0]",
	} {
		f.Add(seed)
	}
	const secret = "s3cr3t"
	f.Fuzz(func(t *testing.T, in string) {
		cs, err := uri.Parse(in)
		if err != nil {
			if strings.Contains(in, ":"+secret+"@") && strings.Contains(err.Error(), secret) && strings.Count(in, secret) == 1 {
				t.Errorf("the error shows the password: %v", err)
			}
			return
		}
		if p := cs.Options.Auth; p != nil && p.Password != nil && *p.Password == secret && strings.Count(in, secret) == 1 && strings.Contains(cs.String(), secret) {
			t.Errorf("%s shows the password", cs)
		}
		cs.Credential()
	})
}

// recordResolver is a resolver with one host and one TXT record.
type recordResolver string

func (recordResolver) LookupSRV(context.Context, string, string, string) (string, []*net.SRV, error) {
	return "", []*net.SRV{{Target: "a.example.com.", Port: 27017}}, nil
}

func (r recordResolver) LookupTXT(context.Context, string) ([]string, error) {
	return []string{string(r)}, nil
}

// FuzzTXT reads any TXT record: it sets only the options that a TXT record may set.
func FuzzTXT(f *testing.F) {
	for _, seed := range []string{"authSource=x&replicaSet=rs", "loadBalanced=true", "authSource=", "ssl=false", "a", "=&=", "replicaSet=%zz", "appName=evil"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, txt string) {
		cs, err := uri.Parse("mongodb+srv://cluster.example.com/")
		if err != nil {
			t.Fatal(err)
		}
		if cs, err = uri.Resolve(t.Context(), cs, recordResolver(txt)); err != nil {
			return
		}
		if o := cs.Options; o.AppName != nil || o.TLS == nil || !*o.TLS || o.ProxyHost != nil || o.TLSInsecure != nil {
			t.Errorf("%q set more than it may", txt)
		}
	})
}
