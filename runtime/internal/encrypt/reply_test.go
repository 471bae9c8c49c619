package encrypt

import (
	"bytes"
	"crypto/rand"
	"testing"

	"github.com/specdrivers/onion/bson"
)

// TestErrorsKeepCiphertext decrypts replies with errors of single writes in them.
func TestErrorsKeepCiphertext(t *testing.T) {
	schema, _ := mustReadVector(t, "root", "mongocryptd-cmd.json").Lookup("jsonSchema").DocumentOK()
	a := &Auto{
		Ring: newRing(t, map[string]string{"aaaaaaaaaaaaaaaa": ""}), Random: rand.Reader, Schemas: map[string]bson.Raw{"test.test": schema},
	}
	find, err := a.Encrypt(t.Context(), "test", parseRaw(t, `{"find": "test", "filter": {"ssn": "457-55-5462"}}`))
	if err != nil {
		t.Fatal(err)
	}
	sealed := find.Lookup("filter", "ssn", "$eq")
	encrypted := bson.Doc("v", sealed)
	build := func(doc bson.D) bson.Raw {
		reply, err := bson.Marshal(doc)
		if err != nil {
			t.Fatal(err)
		}
		return reply
	}
	for _, row := range []struct {
		name         string
		reply        bson.D
		kept, opened [][]string
	}{
		{"no error", bson.Doc("value", encrypted, "ok", 1), nil, [][]string{{"value", "v"}}},
		{"an insert", bson.Doc("n", 0, "writeErrors", bson.A{bson.Doc("index", 0, "errInfo", encrypted)}, "upserted", bson.A{encrypted}, "ok", 1),
			[][]string{{"writeErrors", "0", "errInfo", "v"}}, [][]string{{"upserted", "0", "v"}}},
		{"a write concern", bson.Doc("value", encrypted, "writeConcernError", bson.Doc("errInfo", encrypted), "ok", 1),
			[][]string{{"writeConcernError", "errInfo", "v"}}, [][]string{{"value", "v"}}},
		{"a bulk write", bson.Doc("cursor", bson.Doc("id", 0, "firstBatch", bson.A{bson.Doc("ok", 0, "errInfo", encrypted, "upserted", encrypted)},
			"ns", "admin.$cmd.bulkWrite"), "ok", 1),
			[][]string{{"cursor", "firstBatch", "0", "errInfo", "v"}}, [][]string{{"cursor", "firstBatch", "0", "upserted", "v"}}},
		{"documents of a program", bson.Doc("cursor", bson.Doc("id", 0, "firstBatch", bson.A{bson.Doc("ok", 0, "errInfo", encrypted)},
			"ns", "db.c"), "ok", 1), nil, [][]string{{"cursor", "firstBatch", "0", "errInfo", "v"}}},
	} {
		t.Run(row.name, func(t *testing.T) {
			reply := build(row.reply)
			out, err := a.Decrypt(t.Context(), reply)
			if err != nil {
				t.Fatal(err)
			}
			for _, path := range row.kept {
				if got := out.Lookup(path...); !bytes.Equal(got.Value, sealed.Value) {
					t.Errorf("%v is %s", path, got)
				}
			}
			for _, path := range row.opened {
				if got, _ := out.Lookup(path...).StringOK(); got != "457-55-5462" {
					t.Errorf("%v is %s", path, out.Lookup(path...))
				}
			}
			if err := out.Validate(); err != nil {
				t.Error(err)
			}
		})
	}
}
