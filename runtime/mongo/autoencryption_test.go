package mongo_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/event"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// peopleSchema returns a schema that encrypts the field ssn deterministically and the field note at random.
func peopleSchema(id bson.UUID) bson.D {
	encrypted := func(algorithm string) bson.D {
		return bson.Doc("encrypt", bson.Doc("keyId", bson.A{id}, "bsonType", "string", "algorithm", algorithm))
	}
	return bson.Doc("bsonType", "object", "properties", bson.Doc(
		"ssn", encrypted(options.AlgorithmDeterministic), "note", encrypted(options.AlgorithmRandom)))
}

// newEncryptingClient returns a client that encrypts db.people, a plain client of the same deployment, and the key's
// id.
func newEncryptingClient(t *testing.T, change func(o *options.AutoEncryption), opts ...*options.Client) (encrypts *mongo.Client, r *recorder, plain *mongo.Client, id bson.UUID) {
	t.Helper()
	d := mongotest.Start(t, mongotest.ReplicaSet(1), mongotest.Version("8.0"), mongotest.NoCommands())
	plain = connect(t, d)
	e, err := mongo.NewClientEncryption(plain, &options.ClientEncryption{KeyVaultNamespace: "keyvault.datakeys", KMSProviders: localKMS()})
	if err != nil {
		t.Fatal(err)
	}
	id = newKey(t, e)
	o := &options.AutoEncryption{
		KeyVaultNamespace: "keyvault.datakeys", KMSProviders: localKMS(), SchemaMap: map[string]any{"db.people": peopleSchema(id)},
	}
	if change != nil {
		change(o)
	}
	encrypts, r = connectRecorded(t, d, append(opts, &options.Client{AutoEncryption: (*mongo.AutoEncryption)(o)})...)
	return encrypts, r, plain, id
}

// startedCommands returns the event of every command that was sent, in order.
func startedCommands(r *recorder) []*event.CommandStarted {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.started)
}

type person struct {
	ID   int    `bson:"_id"`
	SSN  string `bson:"ssn"`
	Note string `bson:"note,omitempty"`
}

func TestAutoEncryptionEncryptsAndDecrypts(t *testing.T) {
	encrypts, r, plain, _ := newEncryptingClient(t, nil)
	c := encrypts.Database("db").Collection("people")
	ada := person{ID: 1, SSN: "457-55-5462", Note: "secret note"}
	if _, err := c.InsertOne(t.Context(), ada); err != nil {
		t.Fatal(err)
	}
	var got person
	if err := c.FindOne(t.Context(), bson.Doc("ssn", ada.SSN)).Decode(&got); err != nil || got != ada {
		t.Errorf("found %+v, %v", got, err)
	}
	raw, err := plain.Database("db").Collection("people").FindOne(t.Context(), bson.Doc("_id", 1)).Raw()
	if err != nil {
		t.Fatal(err)
	}
	for field, first := range map[string]byte{"ssn": 1, "note": 2} {
		subtype, data, ok := raw.Lookup(field).BinaryOK()
		if !ok || subtype != bsontype.BinaryEncrypted || data[0] != first {
			t.Errorf("the server has %s as %s", field, raw.Lookup(field))
		}
	}
	for _, e := range startedCommands(r) {
		if bytes.Contains(e.Command, []byte(ada.SSN)) || bytes.Contains(e.Command, []byte(ada.Note)) {
			t.Errorf("an event shows %s", e.Command)
		}
	}
}

func TestAutoEncryptionOfManyWrites(t *testing.T) {
	encrypts, _, plain, _ := newEncryptingClient(t, nil)
	c := encrypts.Database("db").Collection("people")
	var docs []any
	for i := range 10 {
		docs = append(docs, person{ID: i, SSN: strings.Repeat("x", i+1)})
	}
	if _, err := c.InsertMany(t.Context(), docs); err != nil {
		t.Fatal(err)
	}
	if _, err := c.UpdateOne(t.Context(), bson.Doc("ssn", "x"), bson.Doc("$set", bson.Doc("note", "changed"))); err != nil {
		t.Fatal(err)
	}
	result, err := c.BulkWrite(t.Context(), []mongo.WriteModel{
		&mongo.DeleteOneModel{Filter: bson.Doc("ssn", "xx")},
		&mongo.ReplaceOneModel{Filter: bson.Doc("ssn", "xxx"), Replacement: bson.Doc("ssn", "other")},
	})
	if err != nil || result.DeletedCount != 1 || result.ModifiedCount != 1 {
		t.Errorf("%+v, %v", result, err)
	}
	var changed person
	if err := c.FindOneAndUpdate(t.Context(), bson.Doc("ssn", "x"), bson.Doc("$set", bson.Doc("ssn", "y"))).Decode(&changed); err != nil || changed.Note != "changed" {
		t.Errorf("%+v, %v", changed, err)
	}
	cursor, err := c.Find(t.Context(), bson.D{}, &options.Find{BatchSize: new(int32(2))})
	if err != nil {
		t.Fatal(err)
	}
	var all []person
	if err := cursor.All(t.Context(), &all); err != nil || len(all) != 9 {
		t.Errorf("%d people, %v: %+v", len(all), err, all)
	}
	n, err := plain.Database("db").Collection("people").CountDocuments(t.Context(), bson.Doc("ssn", bson.Doc("$type", "string")))
	if err != nil || n != 0 {
		t.Errorf("%d values in plain text, %v", n, err)
	}
}

// The driver sends nothing if analysis refuses the command or the key vault lacks the key.
func TestAutoEncryptionSendsNothingAfterAnError(t *testing.T) {
	encrypts, r, _, _ := newEncryptingClient(t, func(o *options.AutoEncryption) {
		o.SchemaMap["db.lost"] = peopleSchema(bson.NewUUID())
	})
	for _, test := range []struct {
		name string
		run  func() error
		want string
	}{
		{"a comparison with a random value", func() error {
			return encrypts.Database("db").Collection("people").FindOne(t.Context(), bson.Doc("note", "x")).Err()
		}, "randomized encryption"},
		{"a key that is not there", func() error {
			_, err := encrypts.Database("db").Collection("lost").InsertOne(t.Context(), person{SSN: "x"})
			return err
		}, "not all keys requested were satisfied"},
		{"a command that is not known", func() error {
			return encrypts.Database("db").RunCommand(t.Context(), bson.Doc("mapReduce", "people")).Err()
		}, "command not supported for auto encryption"},
	} {
		t.Run(test.name, func(t *testing.T) {
			err := test.run()
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q", err, test.want)
			}
			for _, e := range startedCommands(r) {
				if e.DatabaseName == "db" && e.CommandName != "listCollections" {
					t.Errorf("%s was sent", e.Command)
				}
			}
		})
	}
}

// Prose test 5.
func TestViewsCannotBeEncrypted(t *testing.T) {
	encrypts, _, plain, _ := newEncryptingClient(t, nil)
	if err := plain.Database("db").CreateCollection(t.Context(), "view", &options.CreateCollection{ViewOn: new("people"), Pipeline: bson.A{}}); err != nil {
		t.Fatal(err)
	}
	_, err := encrypts.Database("db").Collection("view").InsertOne(t.Context(), bson.D{})
	if err == nil || !strings.Contains(err.Error(), "cannot auto encrypt a view") {
		t.Errorf("got %v", err)
	}
}

func TestBypassAutoEncryption(t *testing.T) {
	encrypts, r, plain, _ := newEncryptingClient(t, func(o *options.AutoEncryption) { o.BypassAutoEncryption = new(true) })
	c := encrypts.Database("db").Collection("people")
	if _, err := c.InsertOne(t.Context(), person{ID: 1, SSN: "plain"}); err != nil {
		t.Fatal(err)
	}
	raw, err := plain.Database("db").Collection("people").FindOne(t.Context(), bson.D{}).Raw()
	if text, _ := raw.Lookup("ssn").StringOK(); err != nil || text != "plain" {
		t.Errorf("%s, %v", raw, err)
	}
	if n := len(r.commands("listCollections")); n != 0 {
		t.Errorf("%d listCollections", n)
	}
}

// The driver uses the server's schema when the options have none.
func TestSchemaOfTheServerIsUsed(t *testing.T) {
	encrypts, r, plain, id := newEncryptingClient(t, nil)
	if err := plain.Database("db").CreateCollection(t.Context(), "remote", &options.CreateCollection{Validator: bson.Doc("$jsonSchema", peopleSchema(id))}); err != nil {
		t.Fatal(err)
	}
	c := encrypts.Database("db").Collection("remote")
	for i := range 2 {
		if _, err := c.InsertOne(t.Context(), person{ID: i, SSN: "x"}); err != nil {
			t.Fatal(err)
		}
	}
	raw, err := plain.Database("db").Collection("remote").FindOne(t.Context(), bson.D{}).Raw()
	if _, _, ok := raw.Lookup("ssn").BinaryOK(); err != nil || !ok {
		t.Errorf("%s, %v", raw, err)
	}
	if n := len(r.commands("listCollections")); n != 1 {
		t.Errorf("%d listCollections", n)
	}
}

// Prose test 9: with one connection, reading schemas and keys must not wait for that connection.
func TestAutoEncryptionDoesNotDeadlock(t *testing.T) {
	for _, test := range []struct {
		name     string
		pool     int
		bypass   bool
		external bool
		commands []string // sent by the client that encrypts and by its internal client
		vault    []string // sent by the client of the key vault
		clients  int
	}{
		{"case 1", 1, false, false, []string{"listCollections", "find", "insert", "find"}, nil, 2},
		{"case 2", 1, false, true, []string{"listCollections", "insert", "find"}, []string{"find"}, 2},
		{"case 3", 1, true, false, []string{"find", "find"}, nil, 2},
		{"case 4", 1, true, true, []string{"find"}, []string{"find"}, 1},
		{"case 5", 0, false, false, []string{"listCollections", "listCollections", "find", "insert", "find"}, nil, 1},
		{"case 6", 0, false, true, []string{"listCollections", "insert", "find"}, []string{"find"}, 1},
		{"case 7", 0, true, false, []string{"find", "find"}, nil, 1},
		{"case 8", 0, true, true, []string{"find"}, []string{"find"}, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			d := mongotest.Start(t, mongotest.ReplicaSet(1), mongotest.Version("8.0"), mongotest.NoCommands())
			plain := connect(t, d)
			e, err := mongo.NewClientEncryption(plain, &options.ClientEncryption{KeyVaultNamespace: "keyvault.datakeys", KMSProviders: localKMS()})
			if err != nil {
				t.Fatal(err)
			}
			id := newKey(t, e)
			if err := plain.Database("db").CreateCollection(t.Context(), "coll", &options.CreateCollection{Validator: bson.Doc("$jsonSchema", peopleSchema(id))}); err != nil {
				t.Fatal(err)
			}
			o := &options.AutoEncryption{KeyVaultNamespace: "keyvault.datakeys", KMSProviders: localKMS(), BypassAutoEncryption: &test.bypass}
			vault, vaultEvents := connectRecorded(t, d)
			if test.external {
				o.KeyVaultClient = vault
			}
			opened := 0
			encrypts, r := connectRecorded(t, d, &options.Client{
				MaxPoolSize: &test.pool, AutoEncryption: (*mongo.AutoEncryption)(o),
				ServerMonitor: &event.ServerMonitor{TopologyOpening: func(*event.TopologyOpening) { opened++ }},
			})
			c := encrypts.Database("db").Collection("coll")
			ssn := any("string0")
			if test.bypass {
				sealed, err := e.Encrypt(t.Context(), "string0", &options.Encrypt{KeyID: &id, Algorithm: options.AlgorithmDeterministic})
				if err != nil {
					t.Fatal(err)
				}
				c, ssn = plain.Database("db").Collection("coll"), sealed
			}
			if _, err := c.InsertOne(t.Context(), bson.Doc("_id", 0, "ssn", ssn)); err != nil {
				t.Fatal(err)
			}
			var got person
			if err := encrypts.Database("db").Collection("coll").FindOne(t.Context(), bson.Doc("_id", 0)).Decode(&got); err != nil || got.SSN != "string0" {
				t.Errorf("%+v, %v", got, err)
			}
			for _, check := range []struct {
				r    *recorder
				want []string
			}{{r, test.commands}, {vaultEvents, test.vault}} {
				var names []string
				for _, e := range startedCommands(check.r) {
					names = append(names, e.CommandName)
				}
				if strings.Join(names, " ") != strings.Join(check.want, " ") {
					t.Errorf("commands %v, want %v", names, check.want)
				}
			}
			if opened != test.clients {
				t.Errorf("%d clients, want %d", opened, test.clients)
			}
		})
	}
}

// The option accepts the settings without a conversion.
var _ options.AutoEncrypter = (*mongo.AutoEncryption)(nil)
