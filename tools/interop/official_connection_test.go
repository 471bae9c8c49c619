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

// usual is the option of a topology by its name.
func (p *place) usual() mongotest.Option {
	for _, s := range shapes {
		if s.name == p.shape {
			return s.usual
		}
	}
	return nil
}

func scram(t *testing.T, p *place) {
	d := mongotest.Start(t, p.usual(), mongotest.Auth("ada", "s3cret/"), mongotest.WithUser(mongotest.User{Name: "old", Password: "x", Mechanisms: []string{"SCRAM-SHA-1"}}))
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
			client := official(t, d, func(o *options.ClientOptions) {
				o.SetAuth(options.Credential{AuthMechanism: tc.mechanism, Username: tc.user, Password: tc.password})
			})
			_, err := client.Database("auth").Collection("c").InsertOne(t.Context(), bson.M{"x": 1})
			if (err != nil) != tc.fails {
				t.Error(err)
			}
		})
	}
	t.Run("no credential", func(t *testing.T) {
		open := official(t, d, func(o *options.ClientOptions) { o.Auth = nil })
		if _, err := open.Database("auth").Collection("c").InsertOne(t.Context(), bson.M{"x": 1}); !hasCode(err, 13) {
			t.Errorf("%v", err)
		}
	})
}

func overTLS(t *testing.T, p *place) {
	pool, cert := certificate(t)
	d := mongotest.Start(t, p.usual(), mongotest.TLS(&tls.Config{Certificates: []tls.Certificate{cert}}))
	client := official(t, d, func(o *options.ClientOptions) { o.SetTLSConfig(&tls.Config{RootCAs: pool}) })
	crud(t, &place{shape: p.shape, d: d, client: client, db: client.Database("tls")})
	stranger := official(t, d, func(o *options.ClientOptions) { o.SetTLSConfig(&tls.Config{}).SetServerSelectionTimeout(100e6) })
	if err := stranger.Ping(t.Context(), nil); err == nil {
		t.Error("a client that does not know the authority connected")
	}
}

// Each compressor is agreed on and used both ways.
func compressors(t *testing.T, p *place) {
	for _, compressor := range []string{"snappy", "zlib", "zstd"} {
		t.Run(compressor, func(t *testing.T) {
			var mu sync.Mutex
			agreed := map[string]int{}
			client := official(t, p.d, func(o *options.ClientOptions) {
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

// With the Stable API in strict mode the server refuses what does not belong to it.
func stableAPI(t *testing.T, p *place) {
	ctx := t.Context()
	strict := official(t, p.d, func(o *options.ClientOptions) {
		o.SetServerAPIOptions(options.ServerAPI(options.ServerAPIVersion1).SetStrict(true).SetDeprecationErrors(true))
	})
	crud(t, &place{shape: p.shape, d: p.d, client: strict, db: strict.Database("strict")})
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
