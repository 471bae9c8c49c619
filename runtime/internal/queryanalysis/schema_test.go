package queryanalysis

import (
	"strings"
	"testing"
)

func TestJSONSchema(t *testing.T) {
	field := func(encrypt string) string {
		return `{'bsonType':'object','properties':{'f':{'encrypt':{` + encrypt + `}}}}`
	}
	const whole = `'keyId':[KEY],'bsonType':'string',` + deterministic
	for _, c := range []struct {
		name, schema string
		remote       bool
		refused      string
	}{
		{"deterministic", field(whole), false, ""},
		{"type instead of bsonType", `{'type':'object','properties':{'f':{'encrypt':{` + whole + `}}}}`, false, ""},
		{"metadata above", `{'bsonType':'object','encryptMetadata':{'keyId':[KEY],` + deterministic + `},'properties':{'f':{'encrypt':{'bsonType':'string'}}}}`, false, ""},
		{"metadata further above", `{'bsonType':'object','encryptMetadata':{'keyId':[KEY],` + random + `},'properties':{'d':{'bsonType':'object','properties':{'f':{'encrypt':{}}}}}}`, false, ""},
		{"metadata in a property", `{'bsonType':'object','properties':{'d':{'bsonType':'object','encryptMetadata':{'keyId':[KEY],` + random + `},'properties':{'f':{'encrypt':{}}}},'g':{'encrypt':{}}}}`, false, "'keyId' must be"},
		{"nothing encrypted", `{'bsonType':'object','properties':{'f':{'bsonType':'string'}}}`, false, ""},
		{"empty", `{}`, true, ""},
		{"required, remote", `{'bsonType':'object','required':['f'],'properties':{'f':{'encrypt':{` + whole + `}}}}`, true, ""},
		{"required, local", `{'bsonType':'object','required':['f']}`, false, "JSON schema keyword 'required' is only allowed with a remote schema"},
		{"minimum, local", `{'bsonType':'object','properties':{'g':{'minimum':1}}}`, false, "JSON schema keyword 'minimum' is only allowed with a remote schema"},
		{"sibling", `{'bsonType':'object','properties':{'f':{'encrypt':{` + whole + `},'bsonType':'string'}}}`, false, "'encrypt' cannot be used in conjunction with 'bsonType'"},
		{"not an object above", `{'properties':{'f':{'encrypt':{` + whole + `}}}}`, false, "Invalid schema"},
		{"an array above", `{'bsonType':'array','properties':{'f':{'encrypt':{` + whole + `}}}}`, false, "Invalid schema"},
		{"not an object in between", `{'bsonType':'object','properties':{'d':{'properties':{'f':{'encrypt':{` + whole + `}}}}}}`, false, "Invalid schema"},
		{"in items", `{'bsonType':'object','properties':{'a':{'bsonType':'array','items':{'encrypt':{` + whole + `}}}}}`, false, "Invalid schema"},
		{"in anyOf", `{'anyOf':[{'bsonType':'object','properties':{'f':{'encrypt':{` + whole + `}}}}]}`, true, "Invalid schema"},
		{"in not", `{'not':{'properties':{'f':{'encrypt':{` + whole + `}}}}}`, true, "Invalid schema"},
		{"in an unknown keyword", `{'sieve':{'encrypt':{}}}`, true, "Invalid schema"},
		{"at the root", `{'encrypt':{` + whole + `}}`, false, "Invalid schema"},
		{"no key", field(`'bsonType':'string',` + deterministic), false, "'keyId' must be"},
		{"two keys", field(`'keyId':[KEY,KEY],'bsonType':'string',` + deterministic), false, "'keyId' must be"},
		{"no algorithm", field(`'keyId':[KEY],'bsonType':'string'`), false, "'algorithm' is unknown"},
		{"unknown algorithm", field(`'keyId':[KEY],'algorithm':'x'`), false, "'algorithm' is unknown"},
		{"unknown option", field(whole + `,'sieve':1`), false, "'sieve' is unknown"},
		{"deterministic without a type", field(`'keyId':[KEY],` + deterministic), false, "exactly one bsonType"},
		{"deterministic with two types", field(`'keyId':[KEY],'bsonType':['string','int'],` + deterministic), false, "exactly one bsonType"},
		{"deterministic by name", field(`'keyId':'/k','bsonType':'string',` + deterministic), false, "not a JSON pointer"},
		{"deterministic double", field(`'keyId':[KEY],'bsonType':'double',` + deterministic), false, "element of type: double"},
		{"deterministic object", field(`'keyId':[KEY],'bsonType':'object',` + deterministic), false, "element of type: object"},
		{"random null", field(`'keyId':[KEY],'bsonType':'null',` + random), false, "element of type: null"},
		{"random object", field(`'keyId':[KEY],'bsonType':['object','array'],` + random), false, ""},
		{"random _id", `{'bsonType':'object','properties':{'_id':{'encrypt':{'keyId':[KEY],` + random + `}}}}`, false, "_id can be encrypted only deterministically"},
		{"deterministic _id", `{'bsonType':'object','properties':{'_id':{'encrypt':{` + whole + `}}}}`, false, ""},
		{"pointer to an encrypted field", `{'bsonType':'object','properties':{'f':{'encrypt':{'keyId':'/g',` + random + `}},'g':{'encrypt':{` + whole + `}}}}`, false, "points to an encrypted field"},
		{"pattern", `{'bsonType':'object','patternProperties':{'^f':{'encrypt':{` + whole + `}}}}`, false, ""},
		{"pattern that cannot be read", `{'bsonType':'object','patternProperties':{'(?=f)':{'encrypt':{` + whole + `}}}}`, false, "its pattern cannot be parsed"},
		{"additional", `{'bsonType':'object','additionalProperties':{'encrypt':{` + whole + `}}}`, false, ""},
		{"too deep", strings.Repeat(`{'properties':{'d':`, 300) + `{}` + strings.Repeat(`}}`, 300), false, "nested too deeply"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := FromJSONSchema(parse(t, c.schema), c.remote)
			checkRefused(t, err, c.refused)
		})
	}
}

func TestEncryptedFields(t *testing.T) {
	field := func(rest string) string { return `{'fields':[{'path':'f','keyId':KEY` + rest + `}]}` }
	for _, c := range []struct{ name, fields, refused string }{
		{"no fields", `{'escCollection':'e'}`, ""},
		{"empty", `{'fields':[]}`, ""},
		{"unindexed without a type", field(``), ""},
		{"no key yet", `{'fields':[{'path':'f','bsonType':'string','keyId':null}]}`, ""},
		{"equality", field(`,'bsonType':'string','queries':{'queryType':'equality'}`), ""},
		{"equality without a type", field(`,'queries':{'queryType':'equality'}`), "needs a bsonType"},
		{"equality of doubles", field(`,'bsonType':'double','queries':{'queryType':'equality'}`), "element of type: double"},
		{"range of texts", field(`,'bsonType':'string','queries':{'queryType':'range'}`), "element of type: string"},
		{"range with one bound", field(`,'bsonType':'int','queries':{'queryType':'range','min':1}`), "both bounds"},
		{"range with other bounds", field(`,'bsonType':'int','queries':{'queryType':'range','min':1.5,'max':2.5}`), "must have its bsonType"},
		{"text of ints", field(`,'bsonType':'int','queries':{'queryType':'prefix'}`), "element of type: int"},
		{"unknown query", field(`,'bsonType':'string','queries':{'queryType':'sieve'}`), "sieve"},
		{"unknown option", field(`,'bsonType':'string','queries':{'queryType':'equality','sieve':1}`), "sieve"},
		{"negative contention", field(`,'bsonType':'string','queries':{'queryType':'equality','contention':-1}`), "contention"},
		{"two queries", field(`,'bsonType':'string','queries':[{'queryType':'equality'},{'queryType':'prefix'}]`), "cannot be combined"},
		{"the same twice", field(`,'bsonType':'string','queries':[{'queryType':'prefix'},{'queryType':'prefixPreview'}]`), "appears twice"},
		{"no path", `{'fields':[{'keyId':KEY}]}`, "needs a path"},
		{"path twice", `{'fields':[{'path':'f','keyId':KEY},{'path':'f','keyId':KEY}]}`, "appears twice"},
		{"path below", `{'fields':[{'path':'f','keyId':KEY},{'path':'f.g','keyId':KEY}]}`, "below"},
		{"path above", `{'fields':[{'path':'f.g','keyId':KEY},{'path':'f','keyId':KEY}]}`, "below"},
		{"empty part of a path", `{'fields':[{'path':'f..g','keyId':KEY}]}`, "empty"},
		{"key of a wrong type", `{'fields':[{'path':'f','keyId':'k'}]}`, "UUID"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := FromEncryptedFields(parse(t, c.fields))
			checkRefused(t, err, c.refused)
		})
	}
	s, err := FromEncryptedFields(parse(t, `{'fields':[{'path':'f','bsonType':'string'}]}`))
	if err != nil {
		t.Fatal(err)
	}
	cmd := parse(t, `{'insert':'c','documents':[{'f':'x'}]}`)
	target, err := Inspect("db", cmd)
	if err != nil {
		t.Fatal(err)
	}
	_, err = Analyze(target, cmd, Schemas{"c": s})
	checkRefused(t, err, "do not name a keyId")
}

func checkRefused(t *testing.T, err error, refused string) {
	t.Helper()
	switch {
	case refused == "" && err != nil:
		t.Error(err)
	case refused != "" && (err == nil || !strings.Contains(err.Error(), refused)):
		t.Errorf("got %v, want an error with %q", err, refused)
	}
}

// TestSchemaPlaces has fields that are encrypted by a pattern, or because the schema does not name them.
func TestSchemaPlaces(t *testing.T) {
	s, err := FromJSONSchema(parse(t, `{'bsonType':'object','properties':{'_id':{},'plain':{'bsonType':'int'}},
		'patternProperties':{'^p_.?$':{'encrypt':{'keyId':[KEY],'bsonType':'string',`+deterministic+`}}},
		'additionalProperties':{'bsonType':'object','properties':{'in':{'encrypt':{'keyId':[KEY],'bsonType':'string',`+random+`}}}}}`), false)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, command, want, refused string }{
		{"by pattern", `{'insert':'c','documents':[{'p_x':'x','plain':1}]}`, `{'insert':'c','documents':[{'p_x':'DET(x)','plain':1}]}`, ""},
		{"by pattern, with a line break", `{'insert':'c','documents':[{'p_\n':'x'}]}`, `{'insert':'c','documents':[{'p_\n':'DET(x)'}]}`, ""},
		{"by no name", `{'insert':'c','documents':[{'any':{'in':'x'}}]}`, `{'insert':'c','documents':[{'any':{'in':'RAND(x)'}}]}`, ""},
		{"filter by pattern", `{'find':'c','filter':{'p_x':'x'}}`, `{'find':'c','filter':{'p_x':{'$eq':'DET(x)'}}}`, ""},
		{"filter by no name", `{'find':'c','filter':{'any.in':'x'}}`, "", randomized},
		{"expression by no name", `{'find':'c','filter':{'$expr':{'$eq':['$any',5]}}}`, "", "cannot be compared"},
		{"redact", `{'aggregate':'c','pipeline':[{'$redact':'$$KEEP'}]}`, "", "embedded"},
		{"hidden by $project", `{'aggregate':'c','pipeline':[{'$project':{'p_x':'$plain'}},{'$match':{'p_x':'x'}}]}`, `{'aggregate':'c','pipeline':[{'$project':{'p_x':'$plain'}},{'$match':{'p_x':'x'}}]}`, ""},
		{"still there after $addFields", `{'aggregate':'c','pipeline':[{'$addFields':{'p_x':'$plain'}},{'$match':{'p_y':'x','p_x':'y'}}]}`,
			`{'aggregate':'c','pipeline':[{'$addFields':{'p_x':'$plain'}},{'$match':{'$and':[{'p_y':{'$eq':'DET(x)'}},{'p_x':{'$eq':'y'}}]}}]}`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			cmd := parse(t, c.command)
			target, err := Inspect("db", cmd)
			if err != nil {
				t.Fatal(err)
			}
			result, err := Analyze(target, cmd, Schemas{"c": s})
			checkRefused(t, err, c.refused)
			if err == nil && show(t, result.Command) != show(t, parse(t, c.want)) {
				t.Errorf("got %s, want %s", show(t, result.Command), c.want)
			}
		})
	}
}

// A stage with thousands of plain fields must not copy the tree for each of them.
func TestPlainFieldKeepsTheTree(t *testing.T) {
	tree := schemas(t)["c"].tree
	for _, path := range []string{"a", "a.b", "doc.a"} {
		if tree.Replace(path, nil) != tree {
			t.Errorf("%s: the tree is another one", path)
		}
	}
	if tree.Replace("doc.det", nil) == tree || tree.Replace("det", nil).Child("det") != nil {
		t.Error("an encrypted field is not replaced")
	}
}
