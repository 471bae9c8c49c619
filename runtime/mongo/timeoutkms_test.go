package mongo_test

import (
	"context"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
	"github.com/specdrivers/onion/tools/mongotest/kmstest"
)

// Client Side Operations Timeout, "Client Side Encryption": what is left of the timeout bounds the requests to key
// management services, also for operations that encrypt and decrypt on their own.
func TestCSOTUnitKMS(t *testing.T) {
	services := kmstest.Start(t)
	d := mongotest.Start(t, mongotest.ReplicaSet(1), mongotest.Version("8.0"))
	o := withServices(services)
	id, err := newEncryption(t, connect(t, d), o).CreateDataKey(t.Context(), "aws", &options.DataKey{MasterKey: masterKeys()["aws"]})
	if err != nil {
		t.Fatal(err)
	}
	encrypting := func(t *testing.T, opts ...*options.Client) *mongo.Collection {
		auto := &mongo.AutoEncryption{
			KeyVaultNamespace: o.KeyVaultNamespace, KMSProviders: o.KMSProviders, TLSConfig: o.TLSConfig,
			KMSConnectCallback: o.KMSConnectCallback, SchemaMap: map[string]any{"db.people": peopleSchema(id)},
		}
		return connect(t, d, append(opts, &options.Client{AutoEncryption: auto})...).Database("db").Collection("people")
	}
	ada := bson.Doc("_id", 1, "ssn", "457-55-5462")
	if _, err := encrypting(t).InsertOne(t.Context(), ada); err != nil {
		t.Fatal(err)
	}
	insert := func(ctx context.Context, c *mongo.Collection) error {
		_, err := c.InsertOne(ctx, bson.Doc("ssn", "457-55-5462"))
		return err
	}
	find := func(ctx context.Context, c *mongo.Collection) error { return c.FindOne(ctx, bson.Doc("_id", 1)).Err() }
	const limit = 100 * time.Millisecond
	for _, tt := range []struct {
		name   string
		client *options.Client
		own    *options.Collection
		run    func(context.Context, *mongo.Collection) error
	}{
		{"encrypting, timeout of the client", &options.Client{Timeout: new(limit)}, nil, insert},
		{"encrypting, timeout of the collection", nil, &options.Collection{Timeout: new(limit)}, insert},
		{"decrypting, timeout of the collection", nil, &options.Collection{Timeout: new(limit)}, find},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := encrypting(t, tt.client).Clone(tt.own)
			services.Hang(1)
			began := time.Now()
			if err := tt.run(t.Context(), c); !mongo.IsTimeout(err) {
				t.Errorf("err = %v", err)
			}
			if took := time.Since(began); took < limit || took > 50*limit {
				t.Errorf("it took %v", took)
			}
		})
	}
}
