package mongo_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"io"
	"math/big"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
	"github.com/specdrivers/onion/tools/mongotest/kmstest"
)

// strictServer is a server with a flawed certificate, or one that requires a certificate from its clients. It counts
// the connections and the finished handshakes.
type strictServer struct {
	address string
	dialed  atomic.Int32
	reached atomic.Int32
}

func newStrictServer(t *testing.T, config *tls.Config) *strictServer {
	t.Helper()
	s := &strictServer{}
	s.address = startServing(t, func(nc net.Conn) {
		s.dialed.Add(1)
		secured := tls.Server(nc, config)
		if secured.Handshake() == nil {
			s.reached.Add(1)
			_, _ = io.WriteString(secured, "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
			_ = secured.CloseWrite()
		}
		_, _ = io.Copy(io.Discard, nc) // unread bytes would reset the connection before the client sees the alert
	}).Addr().String()
	return s
}

// startServing serves each connection to a listener on a goroutine, until the test and the last connection have ended.
func startServing(t *testing.T, serve func(net.Conn)) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var tasks sync.WaitGroup
	tasks.Go(func() {
		for {
			nc, err := l.Accept()
			if err != nil {
				return
			}
			tasks.Go(func() {
				defer nc.Close()
				serve(nc)
			})
		}
	})
	t.Cleanup(func() {
		l.Close()
		tasks.Wait()
	})
	return l
}

// issueFlawed signs a certificate that change has altered.
func (i *issuer) issueFlawed(change func(*x509.Certificate)) tls.Certificate {
	template := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: "flawed"},
		NotBefore: time.Now().Add(-2 * time.Hour), NotAfter: time.Now().Add(time.Hour), KeyUsage: x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	change(template)
	key := i.newKey()
	cert := i.sign(template, i.cert, key, i.key)
	return tls.Certificate{Certificate: [][]byte{cert.Raw}, PrivateKey: key}
}

// optionsAt returns options with all providers at one address, and master keys that lead there.
func optionsAt(address string, config *tls.Config) (*options.ClientEncryption, map[string]bson.D) {
	providers := kmstest.New().Providers(remoteProviders...)
	providers["azure"]["identityPlatformEndpoint"] = address
	providers["gcp"]["endpoint"] = address
	providers["kmip"]["endpoint"] = address
	configs := map[string]*tls.Config{}
	for _, p := range remoteProviders {
		configs[p] = config
	}
	keys := masterKeys()
	keys["aws"] = append(keys["aws"], bson.Doc("endpoint", address)...)
	return &options.ClientEncryption{KeyVaultNamespace: "keyvault.datakeys", KMSProviders: providers, TLSConfig: configs}, keys
}

// Prose tests 10 and 11.
func TestKMSTLSOptions(t *testing.T) {
	i := newIssuer(t)
	roots := x509.NewCertPool()
	roots.AddCert(i.cert)
	client := i.issue("client")
	good := i.issue("server")
	for _, test := range []struct {
		name          string
		server        *tls.Config
		client        *tls.Config
		certificate   bool // the client refuses the certificate
		reaches, must bool // whether the request gets through; whether TLS must fail
	}{
		{"an expired certificate", &tls.Config{Certificates: []tls.Certificate{i.issueFlawed(func(c *x509.Certificate) { c.NotAfter = time.Now().Add(-time.Hour) })}},
			&tls.Config{RootCAs: roots}, true, false, true},
		{"a certificate for another host", &tls.Config{Certificates: []tls.Certificate{i.issueFlawed(func(c *x509.Certificate) {
			c.IPAddresses, c.DNSNames = nil, []string{"wronghost.com"}
		})}}, &tls.Config{RootCAs: roots}, true, false, true},
		{"no certificate of the client", &tls.Config{Certificates: []tls.Certificate{good}, ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: roots},
			&tls.Config{RootCAs: roots}, false, false, true},
		{"a certificate of the client", &tls.Config{Certificates: []tls.Certificate{good}, ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: roots},
			&tls.Config{RootCAs: roots, Certificates: []tls.Certificate{client}}, false, true, false},
	} {
		for _, provider := range remoteProviders {
			t.Run(test.name+" "+provider, func(t *testing.T) {
				t.Parallel()
				s := newStrictServer(t, test.server)
				o, keys := optionsAt(s.address, test.client)
				e := newEncryption(t, vaultClient(t), o)
				_, err := e.CreateDataKey(t.Context(), provider, &options.DataKey{MasterKey: keys[provider]})
				_, refused := errors.AsType[*tls.CertificateVerificationError](err)
				if err == nil || refused != test.certificate || (s.reached.Load() > 0) != test.reaches {
					t.Errorf("%d requests, %v", s.reached.Load(), err)
				}
				if n := s.dialed.Load(); n != 1 {
					t.Errorf("%d attempts, although none can be better than the first", n)
				}
			})
		}
	}
}

// connectThrough returns a callback that connects through a proxy, with TLS if there is a configuration.
func connectThrough(p *kmstest.Proxy, config *tls.Config) options.KMSConnectCallback {
	if config == nil {
		return p.Connect
	}
	return func(ctx context.Context, address string) (net.Conn, error) {
		nc, err := (&tls.Dialer{Config: config}).DialContext(ctx, "tcp", p.Address())
		if err != nil {
			return nil, err
		}
		return nc, kmstest.Tunnel(nc, address)
	}
}

// Prose test 28, cases 1 to 3.
func TestKMSThroughAProxy(t *testing.T) {
	i := newIssuer(t)
	roots := x509.NewCertPool()
	roots.AddCert(i.cert)
	for _, test := range []struct {
		name           string
		server, client *tls.Config
	}{
		{"cases 1 and 3: plain", nil, nil},
		{"case 2: TLS in TLS", &tls.Config{Certificates: []tls.Certificate{i.issue("proxy")}}, &tls.Config{RootCAs: roots, ServerName: "127.0.0.1"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := kmstest.Start(t)
			p, err := s.NewProxy(test.server)
			if err != nil {
				t.Fatal(err)
			}
			defer p.Close()
			o := withServices(s)
			o.KMSConnectCallback = connectThrough(p, test.client)
			d := mongotest.Start(t, mongotest.ReplicaSet(1), mongotest.Version("8.0"))
			plain := connect(t, d)
			e := newEncryption(t, plain, o)
			id, err := e.CreateDataKey(t.Context(), "aws", &options.DataKey{MasterKey: masterKeys()["aws"]})
			if err != nil || p.Connected() == 0 {
				t.Fatalf("%d connections, %v", p.Connected(), err)
			}
			before := p.Connected()
			auto := connect(t, d, &options.Client{AutoEncryption: &mongo.AutoEncryption{
				KeyVaultNamespace: "keyvault.datakeys", KMSProviders: o.KMSProviders, TLSConfig: o.TLSConfig,
				KMSConnectCallback: o.KMSConnectCallback, SchemaMap: map[string]any{"db.people": peopleSchema(id)},
			}})
			c := auto.Database("db").Collection("people")
			if _, err := c.InsertOne(t.Context(), person{ID: 1, SSN: "hello"}); err != nil {
				t.Fatal(err)
			}
			var got person
			if err := c.FindOne(t.Context(), bson.Doc("_id", 1)).Decode(&got); err != nil || got.SSN != "hello" {
				t.Errorf("%+v, %v", got, err)
			}
			raw, err := plain.Database("db").Collection("people").FindOne(t.Context(), bson.Doc("_id", 1)).Raw()
			if _, _, ok := raw.Lookup("ssn").BinaryOK(); err != nil || !ok {
				t.Errorf("the server has %s, %v", raw, err)
			}
			if n := p.Connected() - before; n != 1 {
				t.Errorf("%d connections, want 1", n)
			}
		})
	}
}

// Whatever address a callback connects to, the driver speaks TLS with the KMS host: it sends that name and checks the
// certificate against it.
//
// Client-Side Encryption, "kmsConnectCallback".
func TestTLSBehindACallbackIsWithTheService(t *testing.T) {
	const host = "kms.example.org"
	i := newIssuer(t)
	roots := x509.NewCertPool()
	roots.AddCert(i.cert)
	for certified, reaches := range map[string]bool{host: true, "proxy.example.org": false} {
		var names sync.Map // the names that clients sent
		s := newStrictServer(t, &tls.Config{
			Certificates: []tls.Certificate{i.issueFlawed(func(c *x509.Certificate) { c.DNSNames = []string{certified} })},
			GetConfigForClient: func(hello *tls.ClientHelloInfo) (*tls.Config, error) {
				names.Store(hello.ServerName, true)
				return nil, nil
			},
		})
		o, keys := optionsAt(host+":443", &tls.Config{RootCAs: roots})
		o.KMSConnectCallback = func(ctx context.Context, address string) (net.Conn, error) {
			if address != host+":443" {
				t.Errorf("the callback is to connect to %s", address)
			}
			return (&net.Dialer{}).DialContext(ctx, "tcp", s.address)
		}
		e := newEncryption(t, vaultClient(t), o)
		_, err := e.CreateDataKey(t.Context(), "aws", &options.DataKey{MasterKey: keys["aws"]})
		_, refused := errors.AsType[*tls.CertificateVerificationError](err)
		if err == nil || refused == reaches || (s.reached.Load() > 0) != reaches {
			t.Errorf("a certificate for %s: %d requests, %v", certified, s.reached.Load(), err)
		}
		if _, sent := names.Load(host); !sent {
			t.Errorf("a certificate for %s: the client did not send the name %s", certified, host)
		}
	}
}

// Prose test 2.
func TestDataKeyAndDoubleEncryption(t *testing.T) {
	s := kmstest.Start(t)
	d := mongotest.Start(t, mongotest.ReplicaSet(1), mongotest.Version("8.0"), mongotest.NoCommands())
	plain, r := connectRecorded(t, d)
	o := withServices(s)
	e := newEncryption(t, plain, o)
	schema := bson.Doc("bsonType", "object", "properties", bson.Doc("encrypted_placeholder", bson.Doc("encrypt", bson.Doc(
		"keyId", "/placeholder", "bsonType", "string", "algorithm", options.AlgorithmRandom))))
	auto := connect(t, d, &options.Client{AutoEncryption: &mongo.AutoEncryption{
		KeyVaultNamespace: "keyvault.datakeys", KMSProviders: o.KMSProviders, TLSConfig: o.TLSConfig, KMSConnectCallback: o.KMSConnectCallback,
		SchemaMap: map[string]any{"db.coll": schema},
	}})
	c := auto.Database("db").Collection("coll")
	for provider, master := range masterKeys() {
		t.Run(provider, func(t *testing.T) {
			name := provider + "_altname"
			data := &options.DataKey{KeyAltNames: []string{name}}
			if master != nil {
				data.MasterKey = master
			}
			id, err := e.CreateDataKey(t.Context(), provider, data)
			if err != nil {
				t.Fatal(err)
			}
			inserts := r.commands("insert")
			if w, _ := inserts[len(inserts)-1].Command.Lookup("writeConcern", "w").StringOK(); w != "majority" {
				t.Errorf("the write concern is %q", w)
			}
			sealed, err := e.Encrypt(t.Context(), "hello "+provider, deterministic(id))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := c.InsertOne(t.Context(), bson.Doc("_id", provider, "value", sealed)); err != nil {
				t.Fatal(err)
			}
			var found struct{ Value string }
			if err := c.FindOne(t.Context(), bson.Doc("_id", provider)).Decode(&found); err != nil || found.Value != "hello "+provider {
				t.Errorf("%+v, %v", found, err)
			}
			named, err := e.Encrypt(t.Context(), "hello "+provider, &options.Encrypt{KeyAltName: &name, Algorithm: options.AlgorithmDeterministic})
			if err != nil || string(named.Data) != string(sealed.Data) {
				t.Errorf("by name %x, %v", named.Data, err)
			}
			if _, err := c.InsertOne(t.Context(), bson.Doc("encrypted_placeholder", sealed)); err == nil {
				t.Error("an encrypted value was encrypted again")
			}
		})
	}
}

// Prose test 7, as far as it works without clouds: the address that a master key leads to.
func TestCustomEndpoints(t *testing.T) {
	with := func(provider, field, value string) bson.D {
		return append(masterKeys()[provider], bson.Doc(field, value)...)
	}
	for _, test := range []struct {
		name, provider string
		master         bson.D
		want           string // words in the error, or the address
		fails          bool
	}{
		{"case 1", "aws", masterKeys()["aws"], "kms.us-east-1.amazonaws.com:443", false},
		{"case 2", "aws", with("aws", "endpoint", "kms.us-east-1.amazonaws.com"), "kms.us-east-1.amazonaws.com:443", false},
		{"case 3", "aws", with("aws", "endpoint", "kms.us-east-1.amazonaws.com:443"), "kms.us-east-1.amazonaws.com:443", false},
		{"case 4", "kmip", bson.Doc("keyId", "1", "endpoint", "localhost:12345"), "localhost:12345", true},
		{"case 7", "azure", masterKeys()["azure"], "drivers-3392-key-vault.vault.azure.net:443", false},
		{"case 8", "gcp", with("gcp", "endpoint", "cloudkms.googleapis.com:443"), "cloudkms.googleapis.com:443", false},
		{"case 10", "kmip", bson.D{}, kmstest.KMIPEndpoint, false},
		{"case 11", "kmip", bson.Doc("endpoint", kmstest.KMIPEndpoint), kmstest.KMIPEndpoint, false},
		{"an endpoint without a dot", "aws", with("aws", "endpoint", "example"), "invalid endpoint", true},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := kmstest.Start(t)
			o := withServices(s)
			to := ""
			o.KMSConnectCallback = func(ctx context.Context, address string) (net.Conn, error) {
				to = address
				return s.Connect(ctx, address)
			}
			_, err := newEncryption(t, vaultClient(t), o).CreateDataKey(t.Context(), test.provider, &options.DataKey{MasterKey: test.master})
			if (err != nil) != test.fails || to != test.want && (err == nil || !strings.Contains(err.Error(), test.want)) {
				t.Errorf("connected to %s, %v", to, err)
			}
		})
	}
}

// Prose tests 8 and 20: whatever the options say, the driver spawns no mongocryptd and connects to none.
func TestNothingConnectsToMongocryptd(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var somebody atomic.Bool
	var accepting sync.WaitGroup
	accepting.Go(func() {
		for {
			nc, err := l.Accept()
			if err != nil {
				return
			}
			somebody.Store(true)
			nc.Close()
		}
	})
	for name, extra := range map[string]map[string]any{
		"mongocryptdBypassSpawn": {"mongocryptdBypassSpawn": true, "mongocryptdURI": "mongodb://" + l.Addr().String(), "mongocryptdSpawnArgs": []string{"--port=1"}},
		"cryptSharedLibRequired": {"cryptSharedLibPath": "/nowhere", "cryptSharedLibRequired": true, "mongocryptdURI": "mongodb://" + l.Addr().String()},
	} {
		t.Run(name, func(t *testing.T) {
			encrypts, _, _, _ := newEncryptingClient(t, func(o *options.AutoEncryption) { o.ExtraOptions = extra })
			if _, err := encrypts.Database("db").Collection("people").InsertOne(t.Context(), person{ID: 1, SSN: "x"}); err != nil {
				t.Error(err)
			}
		})
	}
	l.Close()
	accepting.Wait()
	if somebody.Load() {
		t.Error("somebody connected to mongocryptd")
	}
	_, err = mongo.Connect(t.Context(), "mongodb://localhost", &options.Client{AutoEncryption: &mongo.AutoEncryption{
		KeyVaultNamespace: "a.b", KMSProviders: localKMS(), ExtraOptions: map[string]any{"spawn": true},
	}})
	if err == nil {
		t.Error("an unknown extra option")
	}
}
