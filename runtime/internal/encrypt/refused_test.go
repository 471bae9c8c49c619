package encrypt

import (
	"context"
	"strings"
	"testing"

	"github.com/specdrivers/onion/bson"
)

// TestCommandsAreRefusedBeforeTheyAreSent runs commands that are refused only if the driver combines all that it knows about a collection.
func TestCommandsAreRefusedBeforeTheyAreSent(t *testing.T) {
	parse := func(text string) bson.Raw {
		doc, err := bson.ExtJSONToRaw([]byte(strings.ReplaceAll(text, "'", `"`)), false)
		if err != nil {
			t.Fatal(err)
		}
		return doc
	}
	const schema = `{'bsonType':'object','properties':{'ssn':{'encrypt':{'keyId':[{'$uuid':'01020304-0506-0708-090a-0b0c0d0e0f10'}],` +
		`'bsonType':'string','algorithm':'AEAD_AES_256_CBC_HMAC_SHA_512-Deterministic'}}}}`
	a := &Auto{
		Schemas: map[string]bson.Raw{"db.c": parse(schema)},
		Collections: func(context.Context, string, []string) ([]bson.Raw, error) {
			return nil, nil
		},
	}
	for _, row := range []struct{ name, command, refused string }{
		{"its own database", `{'find':'c','filter':{'a':'x'},'$db':'db'}`, ""},
		{"another database", `{'find':'c','filter':{'ssn':'x'},'$db':'hr'}`, "$db"},
		{"another database for a command that passes", `{'ping':1,'$db':'hr'}`, "$db"},
		{"a database that is not a string", `{'find':'c','filter':{'ssn':'x'},'$db':1}`, "$db"},
		{"a validator of its own", `{'create':'c','validator':{'$jsonSchema':{'properties':{'a':{'enum':['x']}}}}}`, ""},
		{"the schema of the options again", `{'create':'c','validator':{'$jsonSchema':` + schema + `}}`, ""},
		{"a value that the options encrypt", `{'create':'c','validator':{'$jsonSchema':{'properties':{'ssn':{'enum':['x']}}}}}`, "Comparison to encrypted"},
		{"a value next to a schema", `{'collMod':'c','validator':{'$jsonSchema':{'required':['a']},'ssn':'x'}}`, "Comparison to encrypted"},
		{"a value in another collection", `{'create':'d','validator':{'$jsonSchema':{'properties':{'ssn':{'enum':['x']}}}}}`, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			cmd := parse(row.command)
			out, err := a.Encrypt(t.Context(), "db", cmd)
			switch {
			case row.refused == "" && (err != nil || out.String() != cmd.String()):
				t.Errorf("got %s, %v", out, err)
			case row.refused != "" && (err == nil || !strings.Contains(err.Error(), row.refused)):
				t.Errorf("got %s, %v; want an error with %q", out, err, row.refused)
			}
		})
	}
}
