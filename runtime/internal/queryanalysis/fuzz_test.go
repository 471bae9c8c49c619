package queryanalysis

import (
	"testing"

	"github.com/specdrivers/onion/bson"
)

// FuzzSchemas reads schemas of arbitrary bytes. None of them causes a panic.
func FuzzSchemas(f *testing.F) {
	f.Add([]byte(parse(f, csfle)))
	f.Add([]byte(parse(f, queryable)))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, remote := range []bool{true, false} {
			if s, err := FromJSONSchema(bson.Raw(data), remote); err == nil {
				s.Mode()
			}
		}
		if s, err := FromEncryptedFields(bson.Raw(data)); err == nil {
			s.Mode()
		}
	})
}

// FuzzCommands analyzes commands of arbitrary bytes. None of them causes a panic, and the result is well formed.
func FuzzCommands(f *testing.F) {
	all := schemas(f)
	for _, command := range []string{
		`{'find':'c','filter':{'det':'x','doc':{'det':'y'},'$expr':{'$eq':['$det','z']}},'sort':{'a':1}}`,
		`{'find':'q','filter':{'int':{'$gt':1,'$lt':5},'$or':[{'eq':'x'},{'int':{'$in':[1,2]}}]}}`,
		`{'update':'c','updates':[{'q':{'det':'x'},'u':{'$set':{'det':'y'},'$rename':{'det':'same'}},'arrayFilters':[{'i':1}]}]}`,
		`{'aggregate':'c','pipeline':[{'$lookup':{'from':'c','pipeline':[{'$match':{'det':'x'}}],'as':'j'}},{'$unwind':'$j'},{'$group':{'_id':'$det'}}]}`,
		`{'bulkWrite':1,'ops':[{'insert':0,'document':{'det':'x'}}],'nsInfo':[{'ns':'db.c'}]}`,
		`{'create':'c','validator':{'$jsonSchema':{'properties':{'det':{'encrypt':{}}}}}}`,
	} {
		f.Add([]byte(parse(f, command)))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		target, err := Inspect("db", bson.Raw(data))
		if err != nil {
			return
		}
		result, err := Analyze(target, bson.Raw(data), all)
		if err != nil || target.Class != Analyzed {
			return
		}
		if err := result.Command.Validate(); err != nil {
			t.Fatalf("%x became malformed: %v", data, err)
		}
	})
}
