package queryanalysis

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/gen/upstream"
	"github.com/specdrivers/onion/generated/bsontype"
)

// textsFromElsewhere are error texts in the suites that come from other parts of the driver, or from the server.
var textsFromElsewhere = []string{
	"compactionTokens", "not all keys requested", "malformed ciphertext", "range minimum", "range max", "value must be greater",
	"unable to find index", "security token", "Driver support of Queryable Encryption", "Encrypted State Collection",
}

// TestSuites runs the specification's suites. For each operation it compares the error, or the command. Analysis must
// put a placeholder wherever the suite's command has a ciphertext, and nowhere else.
func TestSuites(t *testing.T) {
	files, err := filepath.Glob(upstream.Path(t, "source/client-side-encryption/tests/*/*.json"))
	if err != nil {
		t.Fatal(err)
	}
	var seen counts
	for _, file := range files {
		doc := read(t, filepath.Dir(file), filepath.Base(file))
		for _, s := range readScenarios(doc) {
			t.Run(filepath.Base(filepath.Dir(file))+"/"+strings.TrimSuffix(filepath.Base(file), ".json")+"/"+s.name, func(t *testing.T) {
				s.run(t, &seen)
			})
		}
	}
	t.Logf("%d commands as expected, %d refused as expected, %d errors left to others", seen.sent, seen.refused, seen.left)
	if seen.sent < 300 || seen.refused < 60 {
		t.Error("hardly anything was compared")
	}
}

type counts struct{ sent, refused, left int }

// scenario is one test of a suite, in either format.
type scenario struct {
	name       string
	operations []operation
	events     []bson.Raw
}

type operation struct {
	name, collection string
	arguments        bson.Raw
	refused          string
	fails            bool
	client           client
}

// client is a test's description of a client and its collections.
type client struct {
	options bson.Raw            // autoEncryptOpts; nil: it encrypts nothing
	remote  map[string]bson.Raw // collection options, by name
}

func docs(v bson.RawValue) (out []bson.Raw) {
	list, _ := v.ArrayOK()
	for _, v := range list.All() {
		doc, _ := v.DocumentOK()
		out = append(out, doc)
	}
	return out
}

func str(doc bson.Raw, path ...string) string {
	s, _ := doc.Lookup(path...).StringOK()
	return s
}

func sub(doc bson.Raw, path ...string) bson.Raw {
	d, _ := doc.Lookup(path...).DocumentOK()
	return d
}

func readScenarios(file bson.Raw) []scenario {
	if !file.Lookup("createEntities").IsZero() {
		return readUnifiedFile(file)
	}
	return readLegacyFile(file)
}

func readLegacyFile(file bson.Raw) (out []scenario) {
	collection := str(file, "collection_name")
	remote := bson.Doc()
	if s := sub(file, "json_schema"); s != nil {
		remote = bson.Doc("validator", bson.Doc("$jsonSchema", s))
	}
	if s := sub(file, "encrypted_fields"); s != nil {
		remote = bson.Doc("encryptedFields", s)
	}
	raw, _ := bson.Marshal(remote)
	for _, test := range docs(file.Lookup("tests")) {
		if str(test, "skipReason") != "" {
			continue
		}
		s := scenario{name: str(test, "description")}
		c := client{options: sub(test, "clientOptions", "autoEncryptOpts"), remote: map[string]bson.Raw{collection: raw}}
		for _, op := range docs(test.Lookup("operations")) {
			o := operation{name: str(op, "name"), collection: collection, arguments: sub(op, "arguments"), client: c}
			o.refused = str(op, "result", "errorContains")
			o.fails = o.refused != ""
			if str(op, "object") == "database" {
				o.collection = str(o.arguments, "collection")
			}
			s.operations = append(s.operations, o)
		}
		for _, e := range docs(test.Lookup("expectations")) {
			s.events = append(s.events, sub(e, "command_started_event", "command"))
		}
		out = append(out, s)
	}
	return out
}

func readUnifiedFile(file bson.Raw) (out []scenario) {
	remote := map[string]bson.Raw{}
	for _, d := range docs(file.Lookup("initialData")) {
		remote[str(d, "collectionName")] = sub(d, "createOptions")
	}
	clients, databases, collections := map[string]client{}, map[string]string{}, map[string][2]string{}
	for _, e := range docs(file.Lookup("createEntities")) {
		if c := sub(e, "client"); c != nil {
			clients[str(c, "id")] = client{sub(c, "autoEncryptOpts"), remote}
		}
		if d := sub(e, "database"); d != nil {
			databases[str(d, "id")] = str(d, "client")
		}
		if c := sub(e, "collection"); c != nil {
			collections[str(c, "id")] = [2]string{databases[str(c, "database")], str(c, "collectionName")}
		}
	}
	for _, test := range docs(file.Lookup("tests")) {
		if str(test, "skipReason") != "" {
			continue
		}
		s := scenario{name: str(test, "description")}
		for _, op := range docs(test.Lookup("operations")) {
			o := operation{name: str(op, "name"), arguments: sub(op, "arguments"), refused: str(op, "expectError", "errorContains")}
			o.fails = sub(op, "expectError") != nil
			object := str(op, "object")
			if c, ok := collections[object]; ok {
				o.client, o.collection = clients[c[0]], c[1]
			} else if id, ok := databases[object]; ok {
				o.client, o.collection = clients[id], str(o.arguments, "collection")
			} else {
				o.client = clients[object]
			}
			s.operations = append(s.operations, o)
		}
		for _, e := range docs(test.Lookup("expectEvents")) {
			for _, e := range docs(e.Lookup("events")) {
				s.events = append(s.events, sub(e, "commandStartedEvent", "command"))
			}
		}
		out = append(out, s)
	}
	return out
}

// fromFields compiles encryptedFields, in which a name of a key stands for any key, as the driver puts its id there.
func fromFields(fields bson.Raw) (*Schema, error) {
	list := bson.A{}
	for _, f := range docs(fields.Lookup("fields")) {
		if !f.Lookup("keyAltName").IsZero() {
			var named bson.D
			if err := bson.Unmarshal(f, &named); err != nil {
				return nil, err
			}
			f, _ = bson.Marshal(append(named, bson.E{Key: "keyId", Value: keyID}))
		}
		list = append(list, f)
	}
	raw, err := bson.Marshal(bson.Doc("fields", list))
	if err != nil {
		return nil, err
	}
	return FromEncryptedFields(raw)
}

// findSchema finds the schema of a collection as the driver does.
func (c client) findSchema(name string, target Target) (*Schema, error) {
	for key, v := range sub(c.options, "encryptedFieldsMap").All() {
		if strings.HasSuffix(key, "."+name) {
			return fromFields(bson.Raw(v.Value))
		}
	}
	if target.Collection == name && target.EncryptedFields != nil {
		return fromFields(target.EncryptedFields)
	}
	for key, v := range sub(c.options, "schemaMap").All() {
		if strings.HasSuffix(key, "."+name) {
			return FromJSONSchema(bson.Raw(v.Value), false)
		}
	}
	remote := c.remote[name]
	if f := sub(remote, "encryptedFields"); f != nil {
		return fromFields(f)
	}
	if s := sub(remote, "validator", "$jsonSchema"); s != nil {
		return FromJSONSchema(s, true)
	}
	return nil, nil
}

// analyze handles a command as the driver does.
func (c client) analyze(cmd bson.Raw) (bson.Raw, error) {
	target, err := Inspect("default", cmd)
	if err != nil || target.Class == Bypassed {
		return cmd, err
	}
	all := Schemas{}
	for _, name := range target.Collections {
		if all[name], err = c.findSchema(name, target); err != nil {
			return nil, err
		}
	}
	result, err := Analyze(target, cmd, all)
	return result.Command, err
}

func (s scenario) run(t *testing.T, seen *counts) {
	events := s.events
	for _, o := range s.operations {
		if o.client.options == nil || !o.client.options.Lookup("bypassAutoEncryption").IsZero() ||
			!o.client.options.Lookup("bypassQueryAnalysis").IsZero() {
			continue
		}
		for _, cmd := range o.commands(t) {
			got, err := o.client.analyze(cmd)
			if !o.fails && err != nil {
				t.Errorf("%s is refused: %v", cmd, err)
				continue
			}
			if o.fails {
				o.compareError(t, cmd, err, seen)
				continue
			}
			events = o.compareEvent(t, got, events, seen)
		}
	}
}

func (o operation) compareError(t *testing.T, cmd bson.Raw, err error, seen *counts) {
	isElsewhere := slices.ContainsFunc(textsFromElsewhere, func(text string) bool { return strings.Contains(o.refused, text) })
	switch {
	case err == nil && (isElsewhere || o.refused == ""):
		seen.left++
	case err == nil || !strings.Contains(err.Error(), o.refused):
		t.Errorf("%s: error %v, want %q", cmd, err, o.refused)
	default:
		seen.refused++
	}
}

// compareEvent compares a command with the next event that has its name and collection.
func (o operation) compareEvent(t *testing.T, got bson.Raw, events []bson.Raw, seen *counts) []bson.Raw {
	first, _ := got.Index(0)
	for i, want := range events {
		w, _ := want.Index(0)
		if w.Key != first.Key || !w.Value.Equal(first.Value) && w.Key != "explain" {
			continue
		}
		for key, v := range want.All() {
			switch key {
			case "filter", "query", "documents", "updates", "deletes", "update", "pipeline", "ops", "explain":
				if got, want := shape(got.Lookup(key)), shape(v); got != want {
					t.Errorf("%s of %s is\n%s\nwant\n%s", key, first.Key, got, want)
				}
			}
		}
		seen.sent++
		return events[i+1:]
	}
	return events
}

// shape writes a value with CIPHER in place of encrypted values and placeholders. Of statements it writes only the
// filter and the change.
func shape(v bson.RawValue) string {
	if subtype, _, ok := v.BinaryOK(); ok && subtype == bsontype.BinaryEncrypted {
		return "CIPHER"
	}
	if v.Type != bsontype.EmbeddedDocument && v.Type != bsontype.Array {
		return v.String()
	}
	doc := bson.Raw(v.Value)
	if str(doc, "$$type") == "binData" {
		return "CIPHER"
	}
	var parts []string
	for key, c := range doc.All() {
		switch key {
		case "multi", "upsert", "limit", "cursor", "encryptionInformation", "$db", "lsid":
			continue
		}
		if v.Type == bsontype.Array {
			key = ""
		}
		parts = append(parts, key+":"+shape(c))
	}
	return fmt.Sprintf("{%s}", strings.Join(parts, " "))
}
