package mongo_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// firstMistake is a mistake that people make when they connect for the first time. Its error has to name the cause and
// the next step; the words stand for both, with bars between them.
type firstMistake struct {
	name  string
	uri   func(t *testing.T) string
	opts  func(t *testing.T, o *options.Client)
	work  func(ctx context.Context, client *mongo.Client) error // nil inserts a document
	words string
}

func fixedURI(uri string) func(*testing.T) string { return func(*testing.T) string { return uri } }

// deploymentURI starts a deployment and returns its connection string with a suffix.
func deploymentURI(suffix string, opts ...mongotest.Option) func(*testing.T) string {
	return func(t *testing.T) string { return "mongodb://" + mongotest.Start(t, opts...).Hosts()[0] + suffix }
}

// listenerURI starts a listener that does not speak the protocol, and returns its connection string.
func listenerURI(serve func(net.Conn)) func(*testing.T) string {
	return func(t *testing.T) string {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { l.Close() })
		go func() {
			for {
				c, err := l.Accept()
				if err != nil {
					return
				}
				go func() {
					defer c.Close()
					serve(c)
				}()
			}
		}()
		return "mongodb://" + l.Addr().String()
	}
}

// refusingAddress returns an address that refuses connections.
func refusingAddress(t *testing.T) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	// An open connection keeps its local port, so that no listener gets it.
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c.LocalAddr().String()
}

// certifiedURI starts a deployment whose certificate is for the given address and time.
func certifiedURI(i *issuer, ip net.IP, until time.Time) func(*testing.T) string {
	return func(t *testing.T) string {
		key := i.newKey()
		cert := i.sign(&x509.Certificate{
			SerialNumber: big.NewInt(7), Subject: pkix.Name{CommonName: "server"}, NotBefore: time.Now().Add(-2 * time.Hour), NotAfter: until,
			ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}, IPAddresses: []net.IP{ip},
		}, i.cert, key, i.key)
		pair := tls.Certificate{Certificate: [][]byte{cert.Raw}, PrivateKey: key}
		return deploymentURI("/?tls=true", mongotest.TLS(&tls.Config{Certificates: []tls.Certificate{pair}}))(t)
	}
}

func trustIssuer(i *issuer) func(*testing.T, *options.Client) {
	return func(_ *testing.T, o *options.Client) { o.TLSCAFile = i.caFile() }
}

func firstMistakes(t *testing.T) []firstMistake {
	i, local, soon := newIssuer(t), net.IPv4(127, 0, 0, 1), time.Now().Add(time.Hour)
	scram := mongotest.WithUser(mongotest.User{Name: "ada", Password: "right", Mechanisms: []string{"SCRAM-SHA-256"}})
	login := func(userinfo, query string) func(*testing.T) string {
		return func(t *testing.T) string {
			d := mongotest.Start(t, mongotest.RequireAuth(), scram)
			return "mongodb://" + userinfo + "@" + d.Hosts()[0] + "/" + query
		}
	}
	return []firstMistake{
		{name: "no scheme", uri: fixedURI("localhost:27017"), words: "scheme|mongodb://localhost:27017"},
		{name: "nothing", uri: fixedURI(""), words: "empty|environment variable"},
		{name: "a line break at the end", uri: fixedURI("mongodb://localhost\n"), words: "white space|remove"},
		{name: "quotation marks", uri: fixedURI(`"mongodb://localhost"`), words: "quotation mark|remove"},
		{name: "another scheme", uri: fixedURI("http://localhost:27017"), words: "scheme|mongodb://"},
		{name: "no host", uri: fixedURI("mongodb://"), words: "host"},
		{name: "an at sign in the password", uri: fixedURI("mongodb://ada:p@ss@localhost"), words: "percent-encode|password"},
		{name: "a slash in the password", uri: fixedURI("mongodb://ada:p/ss@localhost"), words: "percent-encode"},
		{name: "a colon in the password", uri: fixedURI("mongodb://ada:p:ss@localhost"), words: "percent-encode"},
		{name: "a hash in the password", uri: fixedURI("mongodb://ada:p#ss@localhost"), words: "percent-encode"},
		{name: "a question mark in the password", uri: fixedURI("mongodb://ada:p?ss@localhost"), words: "percent-encode"},
		{name: "a percent sign in the password", uri: fixedURI("mongodb://ada:100%@localhost"), words: "percent-encode|password"},
		{name: "a port that is no number", uri: fixedURI("mongodb://localhost:mongo"), words: "port"},
		{name: "a port that is too large", uri: fixedURI("mongodb://localhost:270170"), words: "port|65535"},
		{name: "the database behind the question mark", uri: fixedURI("mongodb://localhost/?shop"), words: "key=value|database"},
		{name: "the database as an option", uri: fixedURI("mongodb://localhost?/shop"), words: "key=value|database"},
		{name: "the placeholders of a copied string", uri: fixedURI("mongodb+srv://<db_username>:<db_password>@cluster0.example.com/"), words: "placeholder|brackets"},
		{name: "a placeholder for the password", uri: fixedURI("mongodb://ada:<password>@localhost"), words: "placeholder|brackets"},
		{name: "the name of a variable", uri: fixedURI("$MONGODB_URI"), words: "variable|os.Getenv"},
		{name: "a variable in place of the host", uri: fixedURI("mongodb://${DB_HOST}:27017"), words: "host|variables"},
		{name: "hosts with a semicolon between", uri: fixedURI("mongodb://localhost:27017;localhost:27018"), words: "separate hosts by commas"},
		{name: "one slash", uri: fixedURI("mongodb:/localhost"), words: "colon and two slashes|mongodb://localhost:27017"},
		{name: "a scheme in upper case", uri: fixedURI("MONGODB://localhost"), words: "lower case"},
		{name: "two schemes", uri: fixedURI("mongodb://http://localhost:27017"), words: "second scheme|remove"},
		{name: "a byte order mark", uri: fixedURI("\ufeffmongodb://localhost"), words: "begins|remove"},
		{name: "a collection in the path", uri: fixedURI("mongodb://localhost/shop/users"), words: "database name|a collection cannot be named"},
		{name: "no authSource", uri: fixedURI("mongodb://localhost/?authSource="), words: "authSource|leave it out"},
		{name: "a mechanism without a user", uri: fixedURI("mongodb://localhost/?authMechanism=SCRAM-SHA-256"), words: "SCRAM-SHA-256|user"},
		{
			name: "a timeout without a unit", uri: fixedURI("mongodb://localhost"), words: "Timeout is 30ns|30*time.Second",
			opts: func(_ *testing.T, o *options.Client) { o.Timeout = new(time.Duration(30)) },
		},
		{name: "SRV with a port", uri: fixedURI("mongodb+srv://cluster.example.com:27017"), words: "mongodb+srv|port"},
		{name: "IPv6 without brackets", uri: fixedURI("mongodb://::1:27017"), words: "IPv6|brackets"},
		{name: "a socket's path as it is", uri: fixedURI("mongodb:///tmp/mongodb.sock"), words: "socket|percent-encoded"},
		{name: "no socket", uri: fixedURI("mongodb://%2Fnowhere%2Fmongodb.sock"), words: "/nowhere/mongodb.sock|socket|path"},
		{name: "SRV with a direct connection", uri: fixedURI("mongodb+srv://a.example.com/?directConnection=true"), words: "mongodb+srv|directConnection"},
		{name: "SRV with two hosts", uri: fixedURI("mongodb+srv://a.example.com,b.example.com"), words: "mongodb+srv|one"},
		{name: "SRV without records", uri: fixedURI("mongodb+srv://cluster.nowhere.invalid"), words: "SRV|cluster.nowhere.invalid|mongodb://"},
		{name: "a direct connection to two hosts", uri: fixedURI("mongodb://a,b/?directConnection=true"), words: "directConnection|one host"},
		{name: "a mechanism that does not exist", uri: fixedURI("mongodb://ada:x@localhost/?authMechanism=SCRAM"), words: "SCRAM"},
		{
			name: "a compressor that does not exist", uri: fixedURI("mongodb://localhost"), words: "gzip|snappy",
			opts: func(_ *testing.T, o *options.Client) { o.Compressors = []string{"gzip"} },
		},
		{
			name: "a CA file that does not exist", uri: fixedURI("mongodb://localhost/?tls=true&tlsCAFile=/nowhere/ca.pem"),
			words: "/nowhere/ca.pem",
		},
		{name: "a CA file without a certificate", uri: func(t *testing.T) string {
			return "mongodb://localhost/?tls=true&tlsCAFile=" + emptyFile(t)
		}, words: "tlsCAFile|PEM"},
		{name: "Kerberos without its module", uri: fixedURI("mongodb://ada%40A@localhost/?authMechanism=GSSAPI"), words: "GSSAPI|runtime/mongokrb5"},
		{name: "the wrong port", uri: func(t *testing.T) string { return "mongodb://" + refusingAddress(t) }, words: "refused|port"},
		{name: "a host that does not exist", uri: fixedURI("mongodb://db.nowhere.invalid"), words: "not found|spelling"},
		{name: "a firewall", uri: listenerURI(func(c net.Conn) { io.Copy(io.Discard, c) }), words: "did not answer|firewall",
			opts: func(_ *testing.T, o *options.Client) { o.ConnectTimeout = new(200 * time.Millisecond) }},
		{name: "a port that hangs up", uri: listenerURI(func(net.Conn) {}), words: "closed|TLS"},
		{name: "an address that is not in Atlas's access list", uri: func(t *testing.T) string {
			return listenerURI(alertInternalError)(t) + "/?tls=true"
		}, words: "TLS handshake|Atlas|access list"},
		{name: "a web server", uri: listenerURI(serveHTTP), words: "HTTP|port"},
		{name: "the wrong replica set", uri: deploymentURI("/?replicaSet=rs1", mongotest.ReplicaSet(1), mongotest.SetName("rs0")), words: "rs1|replicaSet|rs.status"},
		{name: "a replica set's name for a mongos", uri: deploymentURI("/?replicaSet=rs0", mongotest.Sharded(1)), words: "rs0|replicaSet|mongos"},
		{name: "a set whose configuration names hosts that only it knows", uri: greetingURI(func(string) bson.D {
			return bson.Doc("setName", "rs0", "hosts", bson.A{"mongo1.nowhere.invalid:27017"}, "me", "mongo1.nowhere.invalid:27017",
				"isWritablePrimary", true, "setVersion", 1, "electionId", bson.NewObjectID())
		}), words: "mongo1.nowhere.invalid|rs.conf()|directConnection=true"},
		{name: "a server that is in no set yet", uri: greetingURI(func(string) bson.D {
			return bson.Doc("isreplicaset", true)
		}), words: "RSGhost|rs.initiate()"},
		{name: "an arbiter alone", uri: greetingURI(func(address string) bson.D {
			return bson.Doc("setName", "rs0", "hosts", bson.A{refusingAddress(t)}, "arbiters", bson.A{address}, "arbiterOnly", true)
		}), words: "arbiter|connection string"},
		{name: "a hidden member alone", uri: greetingURI(func(address string) bson.D {
			return bson.Doc("setName", "rs0", "hosts", bson.A{refusingAddress(t)}, "me", address, "secondary", true, "hidden", true)
		}), words: "RSOther|hidden|connection string|directConnection=true"},
		{name: "a write straight to a hidden member", uri: hiddenMemberURI, words: "directConnection|primary"},
		{name: "a replica set's name for a standalone", uri: deploymentURI("/?replicaSet=rs0"), words: "rs0|replicaSet"},
		{name: "TLS to a server without", uri: deploymentURI("/?tls=true"), words: "TLS handshake|does not seem to speak TLS|remove tls=true"},
		{name: "no TLS to a server with it", uri: func(t *testing.T) string {
			return strings.TrimSuffix(certifiedURI(i, local, soon)(t), "/?tls=true")
		}, words: "requires TLS|set tls=true"},
		{name: "a certificate that nobody trusts", uri: certifiedURI(i, local, soon), words: "certificate|tlsCAFile"},
		{name: "a certificate of another host", uri: certifiedURI(i, net.IPv4(10, 1, 2, 3), soon), opts: trustIssuer(i), words: "certificate|127.0.0.1|host name"},
		{name: "an expired certificate", uri: certifiedURI(i, local, time.Now().Add(-time.Hour)), opts: trustIssuer(i), words: "expired|clock"},
		{name: "the wrong password", uri: login("ada:wrong", ""), words: "ada|password|authSource"},
		{name: "the wrong authSource", uri: login("ada:right", "?authSource=shop"), words: "ada|shop|authSource"},
		{name: "a mechanism that is not enabled", uri: login("ada:right", "?authMechanism=SCRAM-SHA-1"), words: "SCRAM-SHA-1|authMechanism"},
		{name: "no user at all", uri: deploymentURI("", mongotest.RequireAuth(), scram), words: "authentication|connection string"},
		{name: "an old server", uri: oldServerURI, words: "wire version 6|MongoDB 4.2"},
		{name: "a write straight to a secondary", uri: secondaryURI("/?directConnection=true"), words: "directConnection|primary"},
		{name: "no load balancer", uri: deploymentURI("/?loadBalanced=true"), words: "loadBalanced"},
		{name: "the wrong proxy", uri: fixedURI("mongodb://localhost"), words: "proxy|refused", opts: func(t *testing.T, o *options.Client) {
			host, port, _ := net.SplitHostPort(refusingAddress(t))
			n, _ := net.LookupPort("tcp", port)
			o.ProxyHost, o.ProxyPort = &host, &n
		}},
		{name: "a transaction on a standalone", uri: deploymentURI(""), words: "transaction|replica set|rs.initiate()", work: transact},
	}
}

// oldServerURI starts a server that answers like release 3.6.
func oldServerURI(t *testing.T) string {
	return greetingURI(func(string) bson.D { return bson.Doc("ismaster", true, "maxWireVersion", 6) })(t)
}

// hiddenMemberURI returns a direct connection string for a member that the set's configuration hides.
func hiddenMemberURI(t *testing.T) string {
	d := mongotest.Start(t, mongotest.ReplicaSet(2))
	primary := d.Primary()
	if err := d.Reconfigure(mongotest.Member{Node: primary, Priority: 1}, mongotest.Member{Node: 1 - primary, Hidden: true}); err != nil {
		t.Fatal(err)
	}
	return "mongodb://" + d.Hosts()[1-primary] + "/?directConnection=true"
}

// greetingURI starts a server whose answer to hello has the given fields.
func greetingURI(fields func(address string) bson.D) func(*testing.T) string {
	return func(t *testing.T) string {
		d := mongotest.Start(t)
		doc := append(fields(d.Hosts()[0]), bson.Doc("minWireVersion", 0, "ok", 1)...)
		if !slices.ContainsFunc(doc, func(e bson.E) bool { return e.Key == "maxWireVersion" }) {
			doc = append(doc, bson.E{Key: "maxWireVersion", Value: 21})
		}
		hello, err := bson.Marshal(doc)
		if err != nil {
			t.Fatal(err)
		}
		d.Intercept(mongotest.Named("hello", "isMaster", "ismaster"), 0, func(mongotest.Command) mongotest.Answer {
			return mongotest.Answer{Reply: hello}
		})
		return "mongodb://" + d.Hosts()[0]
	}
}

// alertInternalError ends the TLS handshake as Atlas does for an address that is not in the IP access list.
func alertInternalError(c net.Conn) {
	const alert, fatal, internalError = 21, 2, 80
	if _, err := bufio.NewReader(c).Peek(1); err == nil {
		c.Write([]byte{alert, 3, 3, 0, 2, fatal, internalError})
		io.Copy(io.Discard, c)
	}
}

func emptyFile(t *testing.T) string {
	path := filepath.Join(t.TempDir(), "empty.pem")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	return filepath.ToSlash(path)
}

func serveHTTP(c net.Conn) {
	if _, err := bufio.NewReader(c).Peek(1); err != nil {
		return
	}
	answer := http.Response{StatusCode: http.StatusBadRequest, ProtoMajor: 1, ProtoMinor: 1, Close: true}
	answer.Write(c)
}

func secondaryURI(suffix string) func(*testing.T) string {
	return func(t *testing.T) string {
		d := mongotest.Start(t, mongotest.ReplicaSet(2))
		return "mongodb://" + d.Hosts()[1-d.Primary()] + suffix
	}
}

func transact(ctx context.Context, client *mongo.Client) error {
	return client.UseSession(ctx, func(ctx context.Context, s *mongo.Session) error {
		return s.WithTransaction(ctx, func(ctx context.Context) error { return insertSomething(ctx, client) })
	})
}

func insertSomething(ctx context.Context, client *mongo.Client) error {
	_, err := client.Database("shop").Collection("users").InsertOne(ctx, bson.Doc("a", 1))
	return err
}

// The clients wait for a server at the same time, because most of the mistakes end in a timeout.
func TestFirstMistakesNameTheCauseAndTheNextStep(t *testing.T) {
	t.Parallel()
	list := firstMistakes(t)
	if len(list) <= 50 {
		t.Errorf("%d mistakes; the README speaks of more than fifty", len(list))
	}
	errs := make([]error, len(list))
	var wg sync.WaitGroup
	for i, m := range list {
		o := &options.Client{ServerSelectionTimeout: new(3 * time.Second)} // a busy machine needs a while for a handshake
		if m.opts != nil {
			m.opts(t, o)
		}
		uri := m.uri(t)
		wg.Go(func() { errs[i] = tryMistake(t.Context(), m, uri, o) })
	}
	wg.Wait()
	for i, m := range list {
		t.Run(m.name, func(t *testing.T) {
			err := errs[i]
			if err == nil {
				t.Fatal("no error")
			}
			t.Log(err)
			for word := range strings.SplitSeq(m.words, "|") {
				if !strings.Contains(strings.ToLower(err.Error()), strings.ToLower(word)) {
					t.Errorf("the error lacks %q: %v", word, err)
				}
			}
			if strings.Contains(err.Error(), "wrong@") || strings.Contains(err.Error(), "right") {
				t.Errorf("the error shows a password: %v", err)
			}
		})
	}
}

func tryMistake(ctx context.Context, m firstMistake, uri string, o *options.Client) error {
	client, err := mongo.Connect(ctx, uri, o)
	if err != nil {
		return err
	}
	defer client.Close(context.Background())
	if m.work != nil {
		return m.work(ctx, client)
	}
	return insertSomething(ctx, client)
}
