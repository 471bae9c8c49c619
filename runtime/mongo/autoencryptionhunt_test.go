package mongo_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// huntVerbs combines each template with every verb that takes it.
func huntVerbs() (verbs []wireVerb) {
	add := func(name string, template any, do func(context.Context, *mongo.Collection, any) error) {
		verbs = append(verbs, wireVerb{fmt.Sprint(name, " ", template), func(ctx context.Context, c *mongo.Collection, field string, v any) error {
			return do(ctx, c, fillValue(fillNames(template, field, c.Name()), v))
		}})
	}
	bulk := func(ctx context.Context, c *mongo.Collection, models ...mongo.WriteModel) error {
		var writes []mongo.ClientBulkWrite
		for _, m := range models {
			writes = append(writes, mongo.ClientBulkWrite{Database: "db", Collection: c.Name(), Model: m})
		}
		_, err := c.BulkWrite(ctx, models, &options.BulkWrite{Ordered: new(false)})
		if _, also := c.Database().Client().BulkWrite(ctx, writes, &options.ClientBulkWrite{Ordered: new(false)}); err == nil {
			err = also
		}
		return err
	}
	plain := bson.Doc("plain", 1)
	for _, filter := range huntFilters() {
		add("find", filter, func(ctx context.Context, c *mongo.Collection, f any) error {
			return c.FindOne(ctx, f, &options.FindOne{Sort: plain, Projection: plain}).Err()
		})
		add("match", filter, func(ctx context.Context, c *mongo.Collection, f any) error {
			return runAggregate(ctx, c, bson.Doc("$match", f))
		})
		add("count", filter, func(ctx context.Context, c *mongo.Collection, f any) error {
			_, err := c.CountDocuments(ctx, f)
			return err
		})
		add("distinct", filter, func(ctx context.Context, c *mongo.Collection, f any) error { return c.Distinct(ctx, "plain", f).Err() })
		add("modify", filter, func(ctx context.Context, c *mongo.Collection, f any) error {
			return c.FindOneAndDelete(ctx, f, &options.FindOneAndDelete{Projection: plain}).Err()
		})
		add("explain", filter, func(ctx context.Context, c *mongo.Collection, f any) error {
			err := c.Explain(ctx, mongo.ExplainFind(f), "queryPlanner").Err()
			if also := c.Explain(ctx, mongo.ExplainDistinct("plain", f), "queryPlanner").Err(); err == nil {
				err = also
			}
			return err
		})
		add("write", filter, func(ctx context.Context, c *mongo.Collection, f any) error {
			set := bson.Doc("$set", plain)
			return bulk(ctx, c, &mongo.UpdateOneModel{Filter: f, Update: set}, &mongo.UpdateManyModel{Filter: f, Update: set},
				&mongo.ReplaceOneModel{Filter: f, Replacement: plain}, &mongo.DeleteOneModel{Filter: f}, &mongo.DeleteManyModel{Filter: f})
		})
		add("validate", filter, func(ctx context.Context, c *mongo.Collection, f any) error {
			return c.Database().RunCommand(ctx, bson.Doc("collMod", c.Name(), "validator", f)).Err()
		})
	}
	for _, update := range huntUpdates() {
		add("update", update, func(ctx context.Context, c *mongo.Collection, u any) error {
			_, err := c.UpdateMany(ctx, plain, u, &options.UpdateMany{Upsert: new(true)})
			return err
		})
		add("modify", update, func(ctx context.Context, c *mongo.Collection, u any) error {
			return c.FindOneAndUpdate(ctx, plain, u, &options.FindOneAndUpdate{Upsert: new(true), ArrayFilters: []any{bson.Doc("i", 1)}}).Err()
		})
		add("bulk", update, func(ctx context.Context, c *mongo.Collection, u any) error {
			return bulk(ctx, c, &mongo.UpdateOneModel{Filter: plain, Update: u, Upsert: new(true)}, &mongo.UpdateManyModel{Filter: plain, Update: u})
		})
		add("explain", update, func(ctx context.Context, c *mongo.Collection, u any) error {
			return c.Explain(ctx, mongo.ExplainWrite(&mongo.UpdateOneModel{Filter: plain, Update: u}), "queryPlanner").Err()
		})
	}
	for _, doc := range []bson.D{bson.Doc("FIELD", "VALUE"), bson.Doc("plain", 1, "FIELD", bson.A{"VALUE"}), bson.Doc("FIELD", bson.Doc("x", "VALUE"))} {
		add("write", doc, func(ctx context.Context, c *mongo.Collection, d any) error {
			return bulk(ctx, c, &mongo.InsertOneModel{Document: nestDottedNames(d)}, &mongo.ReplaceOneModel{Filter: plain, Replacement: nestDottedNames(d), Upsert: new(true)})
		})
		add("schema", doc, func(ctx context.Context, c *mongo.Collection, d any) error {
			return c.Database().RunCommand(ctx, bson.Doc("collMod", c.Name(), "validator", bson.Doc("$jsonSchema", schemaOf(nestDottedNames(d))))).Err()
		})
		add("replace", doc, func(ctx context.Context, c *mongo.Collection, d any) error {
			return c.FindOneAndReplace(ctx, plain, nestDottedNames(d), &options.FindOneAndReplace{Upsert: new(true)}).Err()
		})
		add("bounds", doc, func(ctx context.Context, c *mongo.Collection, d any) error {
			return c.FindOne(ctx, bson.D{}, &options.FindOne{Min: d, Hint: bson.Doc("plain", 1)}).Err()
		})
		add("let", doc, func(ctx context.Context, c *mongo.Collection, d any) error {
			v := d.(bson.D)[len(d.(bson.D))-1]
			filter := bson.Doc("$expr", bson.Doc("$eq", bson.A{"$" + v.Key, "$$v"}))
			return c.FindOne(ctx, filter, &options.FindOne{Let: bson.Doc("v", bson.Doc("$ifNull", bson.A{"$" + v.Key, v.Value}))}).Err()
		})
	}
	for _, stages := range huntStages() {
		add("aggregate", stages, func(ctx context.Context, c *mongo.Collection, p any) error {
			return runAggregate(ctx, c, p.(bson.A)...)
		})
		add("explain", stages, func(ctx context.Context, c *mongo.Collection, p any) error {
			return c.Explain(ctx, mongo.ExplainAggregate(p), "queryPlanner").Err()
		})
		add("join", stages, func(ctx context.Context, c *mongo.Collection, p any) error {
			return runAggregate(ctx, c.Database().Collection("elsewhere"), bson.Doc("$lookup", bson.Doc("from", c.Name(), "pipeline", p, "as", "j")))
		})
	}
	return verbs
}

// fillValue returns a template with its value filled in.
func fillValue(template, v any) any {
	switch t := template.(type) {
	case string:
		if t == "VALUE" {
			return v
		}
	case bson.D:
		out := bson.D{}
		for _, e := range t {
			out = append(out, bson.E{Key: e.Key, Value: fillValue(e.Value, v)})
		}
		return out
	case bson.A:
		out := bson.A{}
		for _, e := range t {
			out = append(out, fillValue(e, v))
		}
		return out
	}
	return template
}

// nestDottedNames returns a document with nested documents in place of dotted names.
func nestDottedNames(d any) bson.D {
	out := bson.D{}
	for _, e := range d.(bson.D) {
		if above, below, dotted := strings.Cut(e.Key, "."); dotted {
			e = bson.E{Key: above, Value: nestDottedNames(bson.Doc(below, e.Value))}
		}
		out = append(out, e)
	}
	return out
}

// schemaOf returns a JSON schema that lists the values of a document.
func schemaOf(v any) bson.D {
	doc, isDoc := v.(bson.D)
	if !isDoc {
		return bson.Doc("enum", bson.A{v})
	}
	properties := bson.D{}
	for _, e := range doc {
		properties = append(properties, bson.E{Key: e.Key, Value: schemaOf(e.Value)})
	}
	return bson.Doc("properties", properties)
}

// huntedField is an encrypted field with the value of one turn and the bytes that must not leave the client. The number
// makes the value unlike all others.
type huntedField struct {
	path, kind string
	queries    bson.D // of Queryable Encryption; nil for a field that cannot be searched
	value      func(n uint64) (any, []byte)
}

func huntedFields() []huntedField {
	text := func(n uint64) (any, []byte) { s := fmt.Sprintf("canary-%d-3f9c1b7e", n); return s, []byte(s) }
	bits := func(n uint64) []byte { return binary.LittleEndian.AppendUint64(nil, n) }
	ranged := func(lowest, highest any, more ...any) bson.D {
		return append(bson.Doc("queryType", "range", "contention", int64(0), "min", lowest, "max", highest), bson.Doc(more...)...)
	}
	long := func(n uint64) (any, []byte) { n += 0x3ED1A5C0B7F60000; return int64(n), bits(n) }
	return []huntedField{
		{"ssn", "string", equality(0), text},
		{"doc.ssn", "string", equality(4), text},
		{"note", "string", nil, text},
		{"title", "string", bson.Doc("queryType", "substringPreview", "contention", int64(0), "strMinQueryLength", int32(2), "strMaxQueryLength", int32(40),
			"strMaxLength", int32(60), "caseSensitive", true, "diacriticSensitive", true), text},
		{"age", "long", ranged(int64(0), int64(1)<<62), long},
		{"id", "long", equality(0), long},
		{"weight", "double", ranged(-1e300, 1e300), func(n uint64) (any, []byte) {
			f := math.Float64frombits(0x40934A456D5CFAAD + n)
			return f, bits(math.Float64bits(f))
		}},
		{"born", "date", ranged(bson.DateTime(0), bson.DateTime(1<<60)), func(n uint64) (any, []byte) {
			n += 0x0123456789AB0000 >> 3
			return bson.DateTime(n), bits(n)
		}},
		{"oid", "objectId", equality(0), func(n uint64) (any, []byte) {
			id := bson.ObjectID{0xC5, 0xA1, 0x93, 0x77, byte(n), byte(n >> 8), 0x5A, 0xE1, 0x66, 0x91, 0xFD, 0x0B}
			return id, id[:]
		}},
		{"blob", "binData", equality(0), func(n uint64) (any, []byte) {
			data := fmt.Appendf(nil, "blob-%d-77d1c0a9", n)
			return bson.Binary{Data: data}, data
		}},
	}
}

// newHuntingClient encrypts the fields of two collections: csfle by a schema, qe by encryptedFields.
func newHuntingClient(t *testing.T, s *encryptionScene, wire *tap, fields []huntedField) *mongo.Client {
	properties, doc := bson.D{}, bson.D{}
	var encrypted []any
	for _, f := range fields {
		algorithm := options.AlgorithmDeterministic
		if f.kind == "double" || f.path == "note" {
			algorithm = options.AlgorithmRandom
		}
		e := bson.E{Key: f.path, Value: bson.Doc("encrypt", bson.Doc("keyId", bson.A{s.keys[0]}, "bsonType", f.kind, "algorithm", algorithm))}
		if name, inside := strings.CutPrefix(f.path, "doc."); inside {
			doc = append(doc, bson.E{Key: name, Value: e.Value})
		} else {
			properties = append(properties, e)
		}
		encrypted = append(encrypted, append(bson.Doc("path", f.path, "bsonType", f.kind, "keyId", bson.NewUUID()), func() bson.D {
			if f.queries == nil {
				return nil
			}
			return bson.Doc("queries", f.queries)
		}()...))
	}
	for i := range encrypted {
		id, err := s.explicit.CreateDataKey(t.Context(), "local", nil)
		if err != nil {
			t.Fatal(err)
		}
		d := encrypted[i].(bson.D)
		d[2].Value = id
	}
	properties = append(properties, bson.E{Key: "doc", Value: bson.Doc("bsonType", "object", "properties", doc)})
	client, _ := s.connectEncrypting(t, &options.AutoEncryption{
		SchemaMap:          map[string]any{"db.csfle": bson.Doc("bsonType", "object", "properties", properties)},
		EncryptedFieldsMap: map[string]any{"db.qe": encryptedFields(encrypted...)},
	}, &options.Client{Dialer: wire})
	return client
}

// TestNoTemplateIsSentInPlainText crosses verbs, operators and stages with types of values, and looks for each value in
// every byte that the client sends.
func TestNoTemplateIsSentInPlainText(t *testing.T) {
	s := newEncryptionScene(t, mongotest.Version("8.2"), mongotest.NoCommands())
	wire, fields := &tap{Dialer: s.deployment.Dialer()}, huntedFields()
	client := newHuntingClient(t, s, wire, fields)
	db := client.Database("db")
	if err := db.CreateCollection(t.Context(), "qe"); err != nil {
		t.Fatal(err)
	}
	n, passed := uint64(0), map[string]int{}
	for _, verb := range huntVerbs() {
		for _, name := range []string{"csfle", "qe"} {
			for _, f := range fields {
				n++
				value, secret := f.value(n)
				wire.takeSent()
				err := verb.do(t.Context(), db.Collection(name), f.path, value)
				if bytes.Contains(wire.takeSent(), secret) {
					t.Errorf("%s on %s: the value of %s leaves in plain text; the error is %v", verb.name, name, f.path, err)
				}
				if !errors.Is(err, mongo.ErrQueryAnalysis) {
					passed[name+" "+f.path]++
				}
			}
		}
	}
	t.Logf("%d operations; passed: %v", n, passed)
	for _, f := range fields {
		for _, name := range []string{"csfle ", "qe "} {
			if count := passed[name+f.path]; count < 3 || count > int(n)/len(fields)/4 {
				t.Errorf("%d operations passed with %s: the test says little", count, name+f.path)
			}
		}
	}
	id, err := db.GridFSBucket().UploadFromStream(t.Context(), "canary", strings.NewReader("canary of a file"))
	var got bytes.Buffer
	if _, failed := db.GridFSBucket().DownloadToStream(t.Context(), id, &got); err != nil || failed != nil || got.String() != "canary of a file" ||
		!bytes.Contains(wire.takeSent(), got.Bytes()) {
		t.Errorf("a file of GridFS: %q, %v, %v", got.String(), err, failed)
	}
}

// Each stage that the analysis follows is in the hunt.
func TestEveryStageIsHunted(t *testing.T) {
	table, err := os.ReadFile("../../specs/encryption/stages.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var seen []string
	for _, stages := range huntStages() {
		for _, stage := range stages {
			seen = append(seen, stage.(bson.D)[0].Key)
		}
	}
	rows := regexp.MustCompile(`(?m)^  - \{name: (\$\w+),`).FindAllSubmatch(table, -1)
	for _, row := range rows {
		if !slices.Contains(seen, string(row[1])) {
			t.Errorf("no template has the stage %s", row[1])
		}
	}
	if len(rows) < 20 {
		t.Errorf("the table has %d stages", len(rows))
	}
}
