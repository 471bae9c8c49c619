package interop

import (
	"bytes"
	"context"
	"crypto/tls"
	"sync"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/event"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/specdrivers/onion/tools/mongotest"
)

// usualOption returns the option that makes the place's topology.
func (p *place) usualOption() mongotest.Option {
	for _, s := range shapes {
		if s.name == p.shape {
			return s.usual
		}
	}
	return nil
}

func testSCRAM(t *testing.T, p *place) {
	d := mongotest.Start(t, p.usualOption(), mongotest.Auth("ada", "s3cret/"), mongotest.WithUser(mongotest.User{Name: "old", Password: "x", Mechanisms: []string{"SCRAM-SHA-1"}}))
	cases := []struct {
		name, mechanism, user, password string
		fails                           bool
	}{
		{"negotiated", "", "ada", "s3cret/", false},
		{"SCRAM-SHA-1", "SCRAM-SHA-1", "ada", "s3cret/", false},
		{"SCRAM-SHA-256", "SCRAM-SHA-256", "ada", "s3cret/", false},
		{"negotiated for a user with SCRAM-SHA-1 alone", "", "old", "x", false},
		{"a mechanism that the user lacks", "SCRAM-SHA-256", "old", "x", true},
		{"a wrong password", "", "ada", "wrong", true},
		{"nobody", "", "nobody", "x", true},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			client := connectOfficial(t, d, func(o *options.ClientOptions) {
				o.SetAuth(options.Credential{AuthMechanism: tc.mechanism, Username: tc.user, Password: tc.password})
			})
			_, err := client.Database("auth").Collection("c").InsertOne(t.Context(), bson.M{"x": 1})
			if (err != nil) != tc.fails {
				t.Error(err)
			}
		})
	}
	t.Run("no credential", func(t *testing.T) {
		open := connectOfficial(t, d, func(o *options.ClientOptions) { o.Auth = nil })
		if _, err := open.Database("auth").Collection("c").InsertOne(t.Context(), bson.M{"x": 1}); !hasCode(err, 13) {
			t.Errorf("%v", err)
		}
	})
}

func testTLS(t *testing.T, p *place) {
	pool, cert := newCertificate(t)
	d := mongotest.Start(t, p.usualOption(), mongotest.TLS(&tls.Config{Certificates: []tls.Certificate{cert}}))
	client := connectOfficial(t, d, func(o *options.ClientOptions) { o.SetTLSConfig(&tls.Config{RootCAs: pool}) })
	testCRUD(t, &place{shape: p.shape, d: d, client: client, db: client.Database("tls")})
	stranger := connectOfficial(t, d, func(o *options.ClientOptions) { o.SetTLSConfig(&tls.Config{}).SetServerSelectionTimeout(100e6) })
	if err := stranger.Ping(t.Context(), nil); err == nil {
		t.Error("a client that does not know the authority connected")
	}
}

// Client and server agree on each compressor, and use it in both directions.
func testCompressors(t *testing.T, p *place) {
	for _, compressor := range []string{"snappy", "zlib", "zstd"} {
		t.Run(compressor, func(t *testing.T) {
			var mu sync.Mutex
			agreed := map[string]int{}
			client := connectOfficial(t, p.d, func(o *options.ClientOptions) {
				o.SetCompressors([]string{compressor})
				o.SetServerMonitor(&event.ServerMonitor{ServerDescriptionChanged: func(e *event.ServerDescriptionChangedEvent) {
					mu.Lock()
					defer mu.Unlock()
					for _, name := range e.NewDescription.Compression {
						agreed[name]++
					}
				}})
			})
			c := client.Database("compressed").Collection(compressor)
			big := bytes.Repeat([]byte("abc"), 10_000)
			must[*mongo.InsertOneResult](t)(c.InsertOne(t.Context(), bson.M{"_id": p.shape, "big": big}))
			var doc struct{ Big []byte }
			if err := c.FindOne(t.Context(), bson.M{"_id": p.shape}).Decode(&doc); err != nil || !bytes.Equal(doc.Big, big) {
				t.Errorf("%d bytes, %v", len(doc.Big), err)
			}
			mu.Lock()
			defer mu.Unlock()
			// A client of a load balancer does not describe servers.
			if p.shape != "loadbalanced" && agreed[compressor] == 0 {
				t.Errorf("agreed on %v", agreed)
			}
		})
	}
}

// With the Stable API in strict mode the server refuses commands that are not part of it.
func testStableAPI(t *testing.T, p *place) {
	ctx := t.Context()
	strict := connectOfficial(t, p.d, func(o *options.ClientOptions) {
		o.SetServerAPIOptions(options.ServerAPI(options.ServerAPIVersion1).SetStrict(true).SetDeprecationErrors(true))
	})
	testCRUD(t, &place{shape: p.shape, d: p.d, client: strict, db: strict.Database("strict")})
	t.Cleanup(func() { strict.Database("strict").Drop(context.Background()) })
	c := strict.Database("strict").Collection("c")
	if err := c.Distinct(ctx, "x", bson.M{}).Err(); !hasCode(err, 323) {
		t.Errorf("distinct is not part of it: %v", err)
	}
	if err := strict.Database("admin").RunCommand(ctx, bson.D{{Key: "serverStatus", Value: 1}}).Err(); !hasCode(err, 323) {
		t.Errorf("serverStatus is not part of it: %v", err)
	}
	unknown := bson.D{{Key: "ping", Value: 1}, {Key: "apiVersion", Value: "2"}}
	if err := p.client.Database("admin").RunCommand(ctx, unknown).Err(); !hasCode(err, 322) {
		t.Errorf("version 2: %v", err)
	}
}
