package mongo_test

import (
	"slices"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// Drop also drops the metadata collections of a collection with encrypted fields, whether the options, the client or
// the server knows the fields.
//
// Client Side Encryption, "Drop Collection Helper".
func TestDropAlsoDropsTheStateCollections(t *testing.T) {
	encrypting := func(fields map[string]any) *options.Client {
		return &options.Client{AutoEncryption: &mongo.AutoEncryption{KeyVaultNamespace: "db.keys", KMSProviders: localKMS(), EncryptedFieldsMap: fields}}
	}
	named := append(slices.Clone(withKey), bson.E{Key: "escCollection", Value: "mine"}, bson.E{Key: "ecocCollection", Value: "yours"})
	for _, tt := range []struct {
		name   string
		fields bson.D // of the collection
		client *options.Client
		o      *options.DropCollection
		left   []string
	}{
		{"the options", withKey, nil, &options.DropCollection{EncryptedFields: withKey}, nil},
		{"the client", withKey, encrypting(map[string]any{"db.c": withKey}), nil, nil},
		{"the server", withKey, encrypting(nil), nil, nil},
		{"nobody", withKey, nil, nil, []string{"enxcol_.c.ecoc", "enxcol_.c.esc"}},
		{"the options, with other names", withKey, nil, &options.DropCollection{EncryptedFields: named}, []string{"enxcol_.c.ecoc", "enxcol_.c.esc"}},
		{"a plain collection", nil, encrypting(nil), nil, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := mongotest.Start(t, mongotest.ReplicaSet(1), mongotest.Version("8.0"))
			plain := connect(t, d).Database("db")
			o := &options.CreateCollection{}
			if tt.fields != nil {
				o.EncryptedFields = tt.fields
			}
			if err := plain.CreateCollection(t.Context(), "c", o); err != nil {
				t.Fatal(err)
			}
			if err := connect(t, d, tt.client).Database("db").Collection("c").Drop(t.Context(), tt.o); err != nil {
				t.Fatal(err)
			}
			left, err := plain.ListCollectionNames(t.Context(), bson.D{})
			if slices.Sort(left); err != nil || !slices.Equal(left, tt.left) {
				t.Errorf("%q are left, %v, want %q", left, err, tt.left)
			}
		})
	}
	d := mongotest.Start(t, mongotest.ReplicaSet(1), mongotest.Version("8.0"))
	if err := connect(t, d, encrypting(nil)).Database("db").Collection("none").Drop(t.Context()); err != nil {
		t.Errorf("a collection that is not there: %v", err)
	}
}
