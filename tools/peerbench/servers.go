package main

import (
	"cmp"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"maps"
	"math/big"
	"net"
	"strconv"
	"strings"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/specdrivers/onion/tools/mongotest"
)

// The user of the servers that require authentication.
const (
	benchName     = "ada"
	benchPassword = "correct-horse"
)

// openServer opens the server of that name and returns its address, or its URI where an address is not enough:
//
//	canned           answers at once with fixed replies
//	slow             the same, after a while
//	document N       the same; the document that find returns has N bytes
//	set N            the same as a replica set of N members
//	primary          the same as a set of one member; aggregate opens a cursor without end, of 100 documents a getMore
//	primary N        the same, of N documents a getMore
//	far D SERVER     that server behind a link of 1 Gb/s with a round trip of D
//	collection       collections of 100,000 documents, to be read in batches
//	streams          a change stream and files without end
//	mongotest        a standalone server that does what it is asked for
//	replica          a replica set of three members
//	secure           a standalone server with TLS and users
//	secure stuck     the same, except that pings do not end
//	large            the same as canned; the document that find returns has a megabyte, and messages may be compressed
//	large tls        the same with TLS
func openServer(name string) (address string, err error) {
	kind, argument, _ := strings.Cut(name, " ")
	n, _ := strconv.Atoi(argument)
	switch kind {
	case "canned":
		return openCanned(cannedReplies(), 0)
	case "slow":
		return openCanned(cannedReplies(), goodputLatency)
	case "document":
		replies := cannedReplies()
		replies["find"] = mustEncode(bson.D{
			{Key: "cursor", Value: bson.D{{Key: "id", Value: int64(0)}, {Key: "ns", Value: "bench.users"},
				{Key: "firstBatch", Value: bson.A{
					bson.D{{Key: "_id", Value: int32(7)}, {Key: "name", Value: strings.Repeat("x", max(0, n-documentOverhead))}},
				}}}}, {Key: "ok", Value: 1.0}})
		return openCanned(replies, 0)
	case "set":
		return openSet(n, cannedReplies())
	case "primary":
		return openSet(1, endlessReplies(cmp.Or(n, getMoreDocuments)))
	case "far":
		delay, behind, _ := strings.Cut(argument, " ")
		return openFar(behind, delay)
	case "collection":
		return openCollection()
	case "streams":
		return openStreams()
	case "mongotest":
		return openMongotest()
	case "replica":
		return openMongotest(mongotest.ReplicaSet(3))
	case "secure":
		return openSecure(argument == "stuck")
	case "large":
		return openLarge(argument == "tls")
	}
	return "", fmt.Errorf("no server is called %q", name)
}

// documentOverhead is the size of the document of "document N" without its text.
const documentOverhead = 4 + 1 + 4 + 4 + 1 + 5 + 4 + 1 + 1

func openCanned(replies map[string][]byte, latency time.Duration) (string, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	go acceptCanned(listener, replies, latency)
	return listener.Addr().String(), nil
}

// openSet opens the members of a replica set; the first one is the primary. All give the same replies, except to hello.
func openSet(n int, common map[string][]byte) (string, error) {
	listeners, hosts := make([]net.Listener, n), make([]string, n)
	for i := range listeners {
		var err error
		if listeners[i], err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
			return "", err
		}
		hosts[i] = listeners[i].Addr().String()
	}
	for i, listener := range listeners {
		replies := maps.Clone(common)
		hello := mustEncode(append(helloFields(i == 0), bson.E{Key: "setName", Value: "bench"},
			bson.E{Key: "hosts", Value: hosts}, bson.E{Key: "me", Value: hosts[i]}, bson.E{Key: "setVersion", Value: int32(1)},
			bson.E{Key: "primary", Value: hosts[0]}, bson.E{Key: "secondary", Value: i > 0}))
		replies["hello"], replies["isMaster"], replies["ismaster"] = hello, hello, hello
		go acceptCanned(listener, replies, 0)
	}
	return "mongodb://" + strings.Join(hosts, ",") + "/?replicaSet=bench&serverMonitoringMode=poll", nil
}

func openMongotest(options ...mongotest.Option) (string, error) {
	d, err := mongotest.New(append(options, mongotest.NoCommands(), mongotest.Heartbeat(0))...)
	if err != nil {
		return "", err
	}
	if len(d.Hosts()) > 1 {
		return d.URI(), nil
	}
	return d.Hosts()[0], nil
}

func openFar(server, roundTrip string) (string, error) {
	delay, err := time.ParseDuration(roundTrip)
	if err != nil {
		return "", err
	}
	address, err := openServer(server)
	if err != nil {
		return "", err
	}
	return openLink(hostOf(address), delay)
}

func openSecure(stuck bool) (string, error) {
	d, err := mongotest.New(mongotest.Auth(benchName, benchPassword), mongotest.RequireAuth(), mongotest.TLS(selfSigned()),
		mongotest.NoCommands())
	if err != nil {
		return "", err
	}
	if stuck {
		for range 10 * stormConnections { // each is for one request
			d.Control("ping", func(mongotest.Command) mongotest.Answer { select {} })
		}
	}
	return d.Hosts()[0], nil
}

// selfSigned makes a certificate that no client trusts. The clients of the benchmarks do not verify it.
func selfSigned() *tls.Config {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		panic(err)
	}
	return &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}}
}

func mustEncode(doc bson.D) []byte {
	data, err := bson.Marshal(doc)
	if err != nil {
		panic(err)
	}
	return data
}
