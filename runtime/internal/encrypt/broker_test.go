package encrypt

import (
	"bytes"
	"context"
	"crypto/rand"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/analysis"
	"github.com/specdrivers/onion/runtime/internal/queryanalysis"
)

// The driver finds the schemas of schema-broker in the options, in the command and on the server.
func TestSchemasOfTheVectors(t *testing.T) {
	const file = "schema-broker"
	get := func(name string) bson.Raw { return mustReadVector(t, file, name+".json") }
	csfle := func(name string, remote bool) *queryanalysis.Schema {
		s, err := queryanalysis.FromJSONSchema(get(name), remote)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	qe := func(name string) *queryanalysis.Schema {
		s, err := queryanalysis.FromEncryptedFields(get(name))
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	find := parseRaw(t, `{"find": "coll", "filter": {}}`)
	join := parseRaw(t, `{"aggregate": "coll", "pipeline": [{"$lookup": {"from": "coll2", "pipeline": [], "as": "o"}}], "cursor": {}}`)
	for _, tt := range []struct {
		name        string
		cmd         bson.Raw
		schemas, ef string
		server      []string
		want        map[string]*queryanalysis.Schema
		asked       []string
		fails       string
	}{
		{name: "no schema", cmd: find, server: []string{"collinfo-noSchema"}, want: map[string]*queryanalysis.Schema{"coll": nil}, asked: []string{"coll"}},
		{name: "nothing on the server", cmd: find, want: map[string]*queryanalysis.Schema{"coll": nil}, asked: []string{"coll"}},
		{name: "a schema on the server", cmd: find, server: []string{"collinfo-jsonSchema"},
			want: map[string]*queryanalysis.Schema{"coll": csfle("jsonSchema", true)}, asked: []string{"coll"}},
		{name: "fields on the server", cmd: find, server: []string{"collinfo-encryptedFields"},
			want: map[string]*queryanalysis.Schema{"coll": qe("encryptedFields")}, asked: []string{"coll"}},
		{name: "schemas in the options", cmd: join, schemas: "schemaMap",
			want: map[string]*queryanalysis.Schema{"coll": csfle("jsonSchema", false), "coll2": csfle("jsonSchema2", false)}},
		{name: "fields in the options", cmd: join, ef: "encryptedFieldsMap",
			want: map[string]*queryanalysis.Schema{"coll": qe("encryptedFields"), "coll2": qe("encryptedFields2")}},
		{name: "fields precede schemas", cmd: find, schemas: "schemaMap", ef: "encryptedFieldsMap", want: map[string]*queryanalysis.Schema{"coll": qe("encryptedFields")}},
		{name: "two on the server", cmd: join, server: []string{"collinfo-encryptedFields", "collinfo-encryptedFields2"},
			want: map[string]*queryanalysis.Schema{"coll": qe("encryptedFields"), "coll2": qe("encryptedFields2")}, asked: []string{"coll", "coll2"}},
		{name: "the command brings one", cmd: get("create-with-jsonSchema"), want: map[string]*queryanalysis.Schema{"coll": csfle("jsonSchema", true)}},
		{name: "both kinds", cmd: join, schemas: "schemaMap2", server: []string{"collinfo-encryptedFields"}, asked: []string{"coll"},
			fails: "Cannot specify both encryptionInformation and csfleEncryptionSchemas"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var asked []string
			a := &Auto{Ring: ringOfVectors(t, "keys"), Random: rand.Reader, Collections: func(_ context.Context, _ string, names []string) ([]bson.Raw, error) {
				asked = append(asked, names...)
				var infos []bson.Raw
				for _, name := range tt.server {
					infos = append(infos, get(name))
				}
				return infos, nil
			}}
			switch tt.schemas {
			case "":
			case "schemaMap2": // only the second collection has one
				a.Schemas = map[string]bson.Raw{"db.coll2": get("jsonSchema2")}
			default:
				a.Schemas = splitNamespaces(get(tt.schemas))
			}
			if tt.ef != "" {
				a.EncryptedFields = splitNamespaces(get(tt.ef))
			}
			var got queryanalysis.Schemas
			a.analysis = func(target queryanalysis.Target, cmd bson.Raw, schemas queryanalysis.Schemas) (queryanalysis.Result, error) {
				got = schemas
				return queryanalysis.Analyze(target, cmd, schemas)
			}
			out, err := a.Encrypt(t.Context(), "db", tt.cmd)
			if !slices.Equal(asked, tt.asked) {
				t.Errorf("asked for %v, want %v", asked, tt.asked)
			}
			if tt.fails != "" {
				if err == nil || !strings.Contains(err.Error(), tt.fails) {
					t.Errorf("got %s, %v; want %q", out, err, tt.fails)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if len(got) != len(tt.want) {
				t.Errorf("the schemas are %v, want %v", got, tt.want)
			}
			for name, want := range tt.want {
				if !reflect.DeepEqual(got[name], want) {
					t.Errorf("the schema of %s is %+v, want %+v", name, got[name], want)
				}
			}
		})
	}
}

// The driver sends each collection's fields under that collection's name.
func TestInformationOfSeveralCollections(t *testing.T) {
	fields := splitNamespaces(mustReadVector(t, "schema-broker", "encryptedFieldsMap.json"))
	a := &Auto{Ring: newRing(t, map[string]string{"aaaaaaaaaaaaaaaa": ""}), Random: rand.Reader, EncryptedFields: fields}
	got, err := a.Encrypt(t.Context(), "db", parseRaw(t, `{"aggregate": "coll", "cursor": {}, "pipeline": [
		{"$match": {"encryptedIndexed": "x"}}, {"$lookup": {"from": "coll2", "pipeline": [], "as": "o"}}]}`))
	if err != nil {
		t.Fatal(err)
	}
	for namespace, want := range fields {
		if doc, _ := got.Lookup("encryptionInformation", "schema", namespace).DocumentOK(); !bytes.Equal(doc, want) {
			t.Errorf("%s has %s, want %s", namespace, doc, want)
		}
	}
}

func TestOptionsOfTheVectors(t *testing.T) {
	a := &Auto{
		Schemas:         splitNamespaces(mustReadVector(t, "root", "schema-map.json")),
		EncryptedFields: splitNamespaces(mustReadVector(t, "root", "encrypted-field-config-map.json")),
	}
	if err := a.Check(); err == nil || !strings.Contains(err.Error(), analysis.InBothMaps("test.test")) {
		t.Errorf("got %v", err)
	}
}

// A command that changes collections makes the driver forget their schemas.
func TestCommandsForget(t *testing.T) {
	for _, tt := range []struct {
		db, cmd string
		forgets []string
	}{
		{"db", `{"drop": "a"}`, []string{"db.a"}},
		{"db", `{"create": "b"}`, []string{"db.b"}},
		{"db", `{"collMod": "a", "index": {}}`, []string{"db.a"}},
		{"db", `{"dropDatabase": 1}`, []string{"db.a", "db.b"}},
		{"admin", `{"renameCollection": "db.a", "to": "other.c"}`, []string{"db.a", "other.c"}},
		{"db", `{"drop": 1}`, nil},
		{"db", `{"ping": 1}`, nil},
	} {
		t.Run(tt.cmd, func(t *testing.T) {
			var asked []string
			a := &Auto{Ring: ringOfVectors(t, "keys"), Random: rand.Reader, Collections: func(_ context.Context, db string, names []string) ([]bson.Raw, error) {
				for _, name := range names {
					asked = append(asked, db+"."+name)
				}
				return nil, nil
			}}
			known := []string{"db.a", "db.b", "other.c"}
			for _, namespace := range known {
				a.keep(namespace, collection{})
			}
			if _, err := a.Encrypt(t.Context(), tt.db, parseRaw(t, tt.cmd)); err != nil {
				t.Fatal(err)
			}
			for _, namespace := range known {
				db, name, _ := strings.Cut(namespace, ".")
				if _, err := a.Encrypt(t.Context(), db, parseRaw(t, `{"find": "`+name+`"}`)); err != nil {
					t.Fatal(err)
				}
			}
			if !slices.Equal(asked, tt.forgets) {
				t.Errorf("asked again for %v, want %v", asked, tt.forgets)
			}
		})
	}
}
