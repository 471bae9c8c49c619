package mongo_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
	"github.com/specdrivers/onion/tools/mongotest/kmstest"
)

// The prose tests of Queryable Encryption with explicit encryption, by their numbers.

// newQueryable makes a collection db.explicit with an encrypted field. It returns the collection of a client that
// decrypts but does not analyse queries, a ClientEncryption, and the id of the field's key.
func newQueryable(t *testing.T, field bson.D) (c *mongo.Collection, e *mongo.ClientEncryption, id bson.UUID) {
	t.Helper()
	d := mongotest.Start(t, mongotest.ReplicaSet(1), mongotest.Version("8.2"))
	plain := connect(t, d)
	e = newEncryption(t, plain, &options.ClientEncryption{KeyVaultNamespace: "keyvault.datakeys", KMSProviders: localKMS()})
	fields := bson.Doc("fields", bson.A{append(bson.Doc("keyId", nil), field...)})
	_, filled, err := e.CreateEncryptedCollection(t.Context(), plain.Database("db"), "explicit", "local", nil, &options.CreateCollection{EncryptedFields: fields})
	if err != nil {
		t.Fatal(err)
	}
	list, _ := filled.Lookup("fields").ArrayOK()
	for _, item := range list.All() {
		doc, _ := item.DocumentOK()
		if err := doc.Lookup("keyId").Unmarshal(&id); err != nil {
			t.Fatal(err)
		}
	}
	encrypts := connect(t, d, &options.Client{AutoEncryption: &mongo.AutoEncryption{
		KeyVaultNamespace: "keyvault.datakeys", KMSProviders: localKMS(), BypassQueryAnalysis: new(true),
	}})
	return encrypts.Database("db").Collection("explicit"), e, id
}

func indexedOptions(id bson.UUID, contention int64, query bool) *options.Encrypt {
	o := &options.Encrypt{KeyID: &id, Algorithm: options.AlgorithmIndexed, ContentionFactor: &contention}
	if query {
		o.QueryType = new(options.QueryTypeEquality)
	}
	return o
}

// Prose test 12, cases 1, 2 and 4.
func TestExplicitIndexedEncryption(t *testing.T) {
	for _, test := range []struct {
		name            string
		contention      int64
		documents, most int
		queryContention int64
	}{
		{"case 1: without contention", 0, 1, 1, 0},
		{"case 2: with contention, searched without", 10, 10, 9, 0},
		{"case 2: with contention, searched with", 10, 10, 10, 10},
	} {
		t.Run(test.name, func(t *testing.T) {
			c, e, id := newQueryable(t, bson.Doc("path", "f", "bsonType", "string", "queries", bson.Doc("queryType", "equality", "contention", test.contention)))
			for range test.documents {
				sealed, err := e.Encrypt(t.Context(), "encrypted indexed value", indexedOptions(id, test.contention, false))
				if err != nil {
					t.Fatal(err)
				}
				if got, err := e.Decrypt(t.Context(), sealed); err != nil || got.String() != `"encrypted indexed value"` {
					t.Errorf("case 4: %s, %v", got, err)
				}
				if _, err := c.InsertOne(t.Context(), bson.Doc("f", sealed)); err != nil {
					t.Fatal(err)
				}
			}
			query, err := e.Encrypt(t.Context(), "encrypted indexed value", indexedOptions(id, test.queryContention, true))
			if err != nil {
				t.Fatal(err)
			}
			cursor, err := c.Find(t.Context(), bson.Doc("f", query))
			if err != nil {
				t.Fatal(err)
			}
			var found []struct{ F string }
			if err := cursor.All(t.Context(), &found); err != nil {
				t.Fatal(err)
			}
			// With another contention factor, chance decides how many of the ten are found. It hardly ever finds all
			// ten.
			if len(found) > test.documents || test.queryContention == test.contention && len(found) != test.documents {
				t.Errorf("%d documents of %d", len(found), test.documents)
			}
			for _, doc := range found {
				if doc.F != "encrypted indexed value" {
					t.Errorf("found %q", doc.F)
				}
			}
		})
	}
}

// Prose test 12, cases 3 and 5.
func TestExplicitUnindexedEncryption(t *testing.T) {
	c, e, id := newQueryable(t, bson.Doc("path", "f", "bsonType", "string"))
	sealed, err := e.Encrypt(t.Context(), "encrypted unindexed value", &options.Encrypt{KeyID: &id, Algorithm: options.AlgorithmUnindexed})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := e.Decrypt(t.Context(), sealed); err != nil || got.String() != `"encrypted unindexed value"` {
		t.Errorf("case 5: %s, %v", got, err)
	}
	if _, err := c.InsertOne(t.Context(), bson.Doc("_id", 1, "f", sealed)); err != nil {
		t.Fatal(err)
	}
	var found struct{ F string }
	if err := c.FindOne(t.Context(), bson.Doc("_id", 1)).Decode(&found); err != nil || found.F != "encrypted unindexed value" {
		t.Errorf("%+v, %v", found, err)
	}
}

// Prose test 21.
func TestCreateEncryptedCollection(t *testing.T) {
	s := kmstest.Start(t)
	for provider, master := range map[string]any{"local": nil, "aws": masterKeys()["aws"]} {
		t.Run(provider, func(t *testing.T) {
			client := vaultClient(t)
			e := newEncryption(t, client, withServices(s))
			db := client.Database("db")
			create := func(name string, keyID any) (*mongo.Collection, bson.Raw, error) {
				fields := bson.Doc("fields", bson.A{bson.Doc("path", "ssn", "bsonType", "string", "keyId", keyID)})
				return e.CreateEncryptedCollection(t.Context(), db, name, provider, master, &options.CreateCollection{EncryptedFields: fields})
			}
			c, filled, err := create("testing1", nil)
			if err != nil {
				t.Fatal("case 1:", err)
			}
			if _, err := c.InsertOne(t.Context(), bson.Doc("ssn", "123-45-6789")); !mongo.HasErrorCode(err, errcode.DocumentValidationFailure) {
				t.Errorf("case 1: %v", err)
			}
			if _, _, err := e.CreateEncryptedCollection(t.Context(), db, "testing2", provider, master); err == nil || !strings.Contains(err.Error(), "EncryptedFields") {
				t.Errorf("case 2: %v", err)
			}
			if names, err := db.ListCollectionNames(t.Context(), bson.Doc("name", "testing2")); err != nil || len(names) != 0 {
				t.Errorf("case 2: %v, %v", names, err)
			}
			if _, _, err := create("testing3", false); err == nil || !strings.Contains(err.Error(), "create.encryptedFields.fields.keyId") {
				t.Errorf("case 3: %v", err)
			}
			list, _ := filled.Lookup("fields").ArrayOK()
			var id bson.UUID
			for _, item := range list.All() {
				doc, _ := item.DocumentOK()
				if err := doc.Lookup("keyId").Unmarshal(&id); err != nil {
					t.Fatal(err)
				}
			}
			sealed, err := e.Encrypt(t.Context(), "123-45-6789", &options.Encrypt{KeyID: &id, Algorithm: options.AlgorithmUnindexed})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := c.InsertOne(t.Context(), bson.Doc("ssn", sealed)); err != nil {
				t.Errorf("case 4: %v", err)
			}
		})
	}
}

// numericType is a type of values of prose test 22.
type numericType struct {
	name     string
	bsonType string
	of       func(n int) any
	bounded  bool
	precise  bool
}

var numerics = []numericType{
	{"DecimalPrecision", "decimal", func(n int) any { return decimal(n) }, true, true},
	{"DoubleNoPrecision", "double", func(n int) any { return float64(n) }, false, false},
	{"DoublePrecision", "double", func(n int) any { return float64(n) }, true, true},
	{"Date", "date", func(n int) any { return time.UnixMilli(int64(n)).UTC() }, true, false},
	{"Int", "int", func(n int) any { return int32(n) }, true, false},
	{"Long", "long", func(n int) any { return int64(n) }, true, false},
	{"DecimalNoPrecision", "decimal", func(n int) any { return decimal(n) }, false, false},
}

func decimal(n int) bson.Decimal128 {
	d, err := bson.ParseDecimal128(fmt.Sprint(n))
	if err != nil {
		panic(err)
	}
	return d
}

func (n numericType) options(id bson.UUID, query bool) *options.Encrypt {
	r := &options.Range{TrimFactor: new(int32(1)), Sparsity: new(int64(1))}
	if n.bounded {
		r.Min, r.Max = n.of(0), n.of(200)
	}
	if n.precise {
		r.Precision = new(int32(2))
	}
	o := &options.Encrypt{KeyID: &id, Algorithm: options.AlgorithmRange, ContentionFactor: new(int64(0)), RangeOptions: r}
	if query {
		o.QueryType = new(options.QueryTypeRange)
	}
	return o
}

func (n numericType) field() bson.D {
	queries := bson.Doc("queryType", "range", "contention", int64(0), "trimFactor", int32(1), "sparsity", int64(1))
	if n.bounded {
		queries = append(queries, bson.Doc("min", n.of(0), "max", n.of(200))...)
	}
	if n.precise {
		queries = append(queries, bson.Doc("precision", int32(2))...)
	}
	return bson.Doc("path", "f", "bsonType", n.bsonType, "queries", queries)
}

// Prose test 22.
func TestExplicitRangeEncryption(t *testing.T) {
	for _, n := range numerics {
		t.Run(n.name, func(t *testing.T) {
			c, e, id := newQueryable(t, n.field())
			for i, v := range []int{0, 6, 30, 200} {
				sealed, err := e.Encrypt(t.Context(), n.of(v), n.options(id, false))
				if err != nil {
					t.Fatal(err)
				}
				got, err := e.Decrypt(t.Context(), sealed)
				_, want, _ := bson.AppendValue(nil, n.of(v), nil)
				if err != nil || string(got.Value) != string(want) {
					t.Errorf("case 1: decrypted %s, %v", got, err)
				}
				if _, err := c.InsertOne(t.Context(), bson.Doc("_id", i, "f", sealed)); err != nil {
					t.Fatal(err)
				}
			}
			for _, test := range []struct {
				name       string
				expression bson.D
				want       []int
			}{
				{"case 2", bson.Doc("$and", bson.A{bson.Doc("f", bson.Doc("$gte", n.of(6))), bson.Doc("f", bson.Doc("$lte", n.of(200)))}), []int{1, 2, 3}},
				{"case 3", bson.Doc("$and", bson.A{bson.Doc("f", bson.Doc("$gte", n.of(0))), bson.Doc("f", bson.Doc("$lte", n.of(6)))}), []int{0, 1}},
				{"case 4", bson.Doc("$and", bson.A{bson.Doc("f", bson.Doc("$gt", n.of(30)))}), []int{3}},
				{"case 5", bson.Doc("$and", bson.A{bson.Doc("$lt", bson.A{"$f", n.of(30)})}), []int{0, 1}},
			} {
				var filter any
				filter, err := e.EncryptExpression(t.Context(), test.expression, n.options(id, true))
				if err != nil {
					t.Fatal(test.name, err)
				}
				if test.name == "case 5" {
					filter = bson.Doc("$expr", filter)
				}
				cursor, err := c.Find(t.Context(), filter, &options.Find{Sort: bson.Doc("_id", 1)})
				if err != nil {
					t.Fatal(test.name, err)
				}
				var found []struct {
					ID int `bson:"_id"`
				}
				if err := cursor.All(t.Context(), &found); err != nil {
					t.Fatal(test.name, err)
				}
				var got []int
				for _, doc := range found {
					got = append(got, doc.ID)
				}
				if !slices.Equal(got, test.want) {
					t.Errorf("%s: found %v, want %v", test.name, got, test.want)
				}
			}
			if n.bounded {
				if _, err := e.Encrypt(t.Context(), n.of(201), n.options(id, false)); err == nil {
					t.Error("case 6: a value above the maximum")
				}
				other := any(int32(6))
				if n.bsonType == "int" {
					other = 6.0
				}
				if _, err := e.Encrypt(t.Context(), other, n.options(id, false)); err == nil {
					t.Error("case 7: a value of another type")
				}
			}
			if n.bsonType != "double" && n.bsonType != "decimal" {
				o := n.options(id, false)
				o.RangeOptions.Precision = new(int32(2))
				if _, err := e.Encrypt(t.Context(), n.of(6), o); err == nil {
					t.Error("case 8: a precision of whole numbers")
				}
			}
		})
	}
}

// Prose test 23.
func TestExplicitRangeDefaults(t *testing.T) {
	_, _, e := newVault(t)
	id := newKey(t, e)
	size := func(change func(r *options.Range)) int {
		r := &options.Range{Min: int32(0), Max: int32(1000)}
		change(r)
		sealed, err := e.Encrypt(t.Context(), int32(123), &options.Encrypt{
			KeyID: &id, Algorithm: options.AlgorithmRange, ContentionFactor: new(int64(0)), RangeOptions: r,
		})
		if err != nil {
			t.Fatal(err)
		}
		return len(sealed.Data)
	}
	defaults := size(func(*options.Range) {})
	if same := size(func(r *options.Range) { r.Sparsity, r.TrimFactor = new(int64(2)), new(int32(6)) }); same != defaults {
		t.Errorf("case 1: %d bytes with the defaults and %d", defaults, same)
	}
	if more := size(func(r *options.Range) { r.TrimFactor = new(int32(0)) }); more <= defaults {
		t.Errorf("case 2: %d bytes with the defaults and %d", defaults, more)
	}
}
