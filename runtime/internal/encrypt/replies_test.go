package encrypt

import (
	"bytes"
	"context"
	"crypto/rand"
	"slices"
	"strings"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/runtime/internal/encrypt/key"
)

// newRing makes a ring with unwrapped data keys, by id.
func newRing(t *testing.T, keys map[string]string) *key.Ring {
	t.Helper()
	ring := ringOfVectors(t, "keys")
	docs := map[bson.UUID]bson.Raw{}
	local := mustReadVector(t, "root", "key-document-local.json")
	for id, file := range keys {
		doc := local
		if file != "" {
			doc = mustReadVector(t, file)
		}
		dst, start := bson.AppendDocumentStart(nil)
		for name, v := range doc.All() {
			switch {
			case name == "_id":
				dst = bson.AppendBinaryElement(dst, name, 4, []byte(id))
			case name == "masterKey" || name == "keyMaterial":
				dst = bson.AppendRawValueElement(dst, name, local.Lookup(name))
			default:
				dst = bson.AppendRawValueElement(dst, name, v)
			}
		}
		docs[bson.UUID([]byte(id))] = bson.AppendDocumentEnd(dst, start)
	}
	ring.Find = func(_ context.Context, ids []bson.UUID, names []string) ([]bson.Raw, error) {
		var found []bson.Raw
		for id, doc := range docs {
			d, err := key.Parse(doc)
			if err != nil {
				return nil, err
			}
			if slices.Contains(ids, id) || slices.ContainsFunc(d.AltNames, func(n string) bool { return slices.Contains(names, n) }) {
				found = append(found, doc)
			}
		}
		return found, nil
	}
	return ring
}

// One command needs two keys, with a reply of mongocryptd and with our own analysis alike. AWS wrapped the keys in the vector, so a
// local key replaces them.
func TestSeveralKeys(t *testing.T) {
	f := flow{dir: "multikey"}
	for _, name := range []string{"mongocryptd", "our own"} {
		a := &Auto{
			Ring: newRing(t, map[string]string{
				strings.Repeat("a", 16): "multikey/key-document-a.json", strings.Repeat("b", 16): "multikey/key-document-b.json",
			}), Random: rand.Reader,
			Schemas: splitNamespaces(mustReadVector(t, "multikey", "schema_map.json")),
		}
		if name == "mongocryptd" {
			a.analysis = f.answerWith(t, mustReadVector(t, "multikey", "mongocryptd_reply.json"))
		}
		got, err := a.Encrypt(t.Context(), "db", mustReadVector(t, "multikey", "command.json"))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for i, field := range []string{"uses_key_a", "uses_key_b"} {
			_, data, _ := got.Lookup("filter", "$and", string(rune('0'+i)), field, "$eq").BinaryOK()
			if len(data) < 17 || data[0] != 1 || string(data[1:17]) != strings.Repeat(field[len(field)-1:], 16) {
				t.Errorf("%s: %s is %x in %s", name, field, data, got)
			}
		}
		opened, err := a.Decrypt(t.Context(), got)
		if err != nil || opened.Lookup("filter", "$and", "1", "uses_key_b", "$eq").String() != `"bar"` {
			t.Errorf("%s: opened %s, %v", name, opened, err)
		}
	}
}

// Each reply of mongocryptd to a command yields the command that the vectors have.
func TestRepliesOfTheVectors(t *testing.T) {
	schema, _ := mustReadVector(t, "root", "mongocryptd-cmd.json").Lookup("jsonSchema").DocumentOK()
	cmd := parseRaw(t, `{"find": "test", "filter": {"ssn": "457-55-5462"}}`)
	for _, tt := range []struct {
		file  string
		first byte // of the value, 0 if the command stays as it is
		key   string
		want  string
	}{
		{"mongocryptd-reply-random", 2, "aaaaaaaaaaaaaaaa", ""},
		{"mongocryptd-reply-key-alt-name", 1, "ssssssssssssssss", ""},
		{"mongocryptd-reply-key-alt-name2", 0, "", "not all keys requested were satisfied"},
		{"mongocryptd-reply-existing-ciphertext", 1, "aaaaaaaaaaaaaaaa", ""},
		{"mongocryptd-reply-no-markings", 0, "", ""},
		{"mongocryptd-reply-no-encryption-needed", 0, "", ""},
		{"mongocryptd-reply-invalid", 0, "", "has no value"},
	} {
		t.Run(tt.file, func(t *testing.T) {
			a := &Auto{
				Ring: newRing(t, map[string]string{
					"aaaaaaaaaaaaaaaa": "", "ssssssssssssssss": "root/key-document-with-alt-name.json",
				}),
				Random: rand.Reader, Schemas: map[string]bson.Raw{"test.test": schema},
			}
			reply := mustReadVector(t, "root", tt.file+".json")
			a.analysis = flow{dir: "root"}.answerWith(t, reply)
			got, err := a.Encrypt(t.Context(), "test", cmd)
			switch {
			case tt.want != "":
				if err == nil || !strings.Contains(strings.ToLower(err.Error()), tt.want) {
					t.Errorf("got %s, %v; want %q", got, err, tt.want)
				}
				return
			case err != nil:
				t.Fatal(err)
			case tt.first == 0:
				if !bytes.Equal(got, cmd) {
					t.Errorf("got %s", got)
				}
				return
			}
			_, data, _ := got.Lookup("filter", "ssn").BinaryOK()
			if len(data) < 17 || data[0] != tt.first || string(data[1:17]) != tt.key {
				t.Errorf("the value is %x", data)
			}
			result, _ := reply.Lookup("result").DocumentOK()
			if kept := result.Lookup("filter", "existing_ciphertext"); !bytes.Equal(kept.Value, got.Lookup("filter", "existing_ciphertext").Value) {
				t.Error("a ciphertext has changed")
			}
		})
	}
}
