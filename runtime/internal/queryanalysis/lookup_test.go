package queryanalysis

import (
	"strings"
	"testing"
)

// TestLookup analyzes the pipelines of prose test 25, "Test $lookup". It leaves out case 9, which needs an analyzer
// that is too old; there is none.
func TestLookup(t *testing.T) {
	all := Schemas{"no_schema": nil, "no_schema2": nil}
	for _, name := range []string{"csfle", "csfle2"} {
		s, err := FromJSONSchema(parse(t, `{'bsonType':'object','properties':{'`+name+`':{'encrypt':{'keyId':[KEY],'bsonType':'string',`+deterministic+`}}}}`), true)
		if err != nil {
			t.Fatal(err)
		}
		all[name] = s
	}
	for _, name := range []string{"qe", "qe2"} {
		s, err := FromEncryptedFields(parse(t, `{'fields':[{'path':'`+name+`','keyId':KEY,'bsonType':'string','queries':{'queryType':'equality','contention':0}}]}`))
		if err != nil {
			t.Fatal(err)
		}
		all[name] = s
	}
	plain, err := FromJSONSchema(parse(t, `{'bsonType':'object','required':['non_csfle_schema'],'properties':{'non_csfle_schema':{'bsonType':'string'}}}`), true)
	if err != nil {
		t.Fatal(err)
	}
	all["non_csfle_schema"] = plain
	shown := map[string]string{"csfle": "DET(csfle)", "csfle2": "DET(csfle2)", "qe": "findEquality(qe)", "qe2": "findEquality(qe2)"}
	// For client-side field level encryption, filters are in normal form.
	quoted := map[Mode]*strings.Replacer{
		CSFLE: strings.NewReplacer("'VALUE'", "{'$eq':'VALUE'}", "'JOINED'", "{'$eq':'JOINED'}"),
		QE:    strings.NewReplacer(), None: strings.NewReplacer(),
	}
	for _, c := range []struct {
		name, from, joins string
		mode              Mode
		refused           string
	}{
		{"case 1", "csfle", "no_schema", CSFLE, ""},
		{"case 2", "qe", "no_schema", QE, ""},
		{"case 3", "no_schema", "csfle", CSFLE, ""},
		{"case 4", "no_schema", "qe", QE, ""},
		{"case 5", "csfle", "csfle2", CSFLE, ""},
		{"case 6", "qe", "qe2", QE, ""},
		{"case 7", "no_schema", "no_schema2", None, ""},
		{"case 8", "csfle", "qe", None, "Cannot specify both encryptionInformation and csfleEncryptionSchemas unless " +
			"csfleEncryptionSchemas only contains non-encryption JSON schema validators"},
		{"case 10", "qe", "non_csfle_schema", QE, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := `{'aggregate':'FROM','pipeline':[{'$match':{'FROM':'VALUE'}},{'$lookup':{'from':'JOINS','as':'matched','pipeline':[
				{'$match':{'JOINS':'JOINED'}},{'$project':{'_id':0,'__safeContent__':0}}]}},{'$project':{'_id':0}}],'cursor':{}}`
			command := func(text, from, joins string) string {
				return strings.NewReplacer("FROM", c.from, "VALUE", from, "JOINS", c.joins, "JOINED", joins).Replace(text)
			}
			cmd := parse(t, command(text, c.from, c.joins))
			target, err := Inspect("db", cmd)
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(target.Collections, " "); got != c.from+" "+c.joins {
				t.Errorf("the collections are %s", got)
			}
			result, err := Analyze(target, cmd, all)
			if checkRefused(t, err, c.refused); err != nil {
				return
			}
			value := func(name string) string {
				if s, ok := shown[name]; ok {
					return s
				}
				return name
			}
			if got, want := show(t, result.Command), show(t, parse(t, command(quoted[c.mode].Replace(text), value(c.from), value(c.joins)))); got != want || result.Mode != c.mode {
				t.Errorf("got  %s, mode %d\nwant %s, mode %d", got, result.Mode, want, c.mode)
			}
		})
	}
}
