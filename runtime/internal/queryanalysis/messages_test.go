package queryanalysis

import (
	"strings"
	"testing"

	"github.com/specdrivers/onion/generated/core/analysis"
)

// The texts that upstream's suites look for.
func TestMessages(t *testing.T) {
	run(t, []row{
		{"random", `{'find':'c','filter':{'rand':'x'}}`, "", analysis.RandomizedQuery()},
		{"regex", `{'find':'c','filter':{'det':{'$in':[{'$regularExpression':{'pattern':'x','options':''}}]}}}`, "", analysis.RegexPredicate()},
		{"null", `{'find':'c','filter':{'det':null}}`, "", analysis.NullPredicate()},
		{"null in a list", `{'find':'c','filter':{'det':{'$in':[null]}}}`, "", analysis.NullInside()},
		{"operator", `{'find':'c','filter':{'det':{'$gt':'x'}}}`, "", analysis.OperatorOnEncrypted()},
		{"where", `{'find':'c','filter':{'$where':'x'}}`, "", analysis.OperatorUnsupported()},
		{"type", `{'insert':'c','documents':[{'det':1}]}`, "", analysis.CannotEncryptElement("int", "schema requires that type is one of: [ string ]")},
		{"twice", `{'insert':'c','documents':[{'det':{'$binary':{'base64':'AQ==','subType':'06'}}}]}`, "", analysis.EncryptedAlready()},
		{"bound", `{'find':'q','filter':{'int':{'$gt':{'$date':'2020-01-01T00:00:00Z'}}}}`, "", analysis.FieldTypeNotSupported()},
		{"validator", `{'create':'c','validator':{'det':'x'}}`, "", analysis.ComparisonNotSupported()},
		{"push", `{'update':'c','updates':[{'q':{},'u':{'$push':{'det':'x'}}}]}`, "", analysis.NotAllowedOnEncrypted("$push")},
		{"inc", `{'update':'c','updates':[{'q':{},'u':{'$inc':{'det':1}}}]}`, "", analysis.NeitherAllowedOnEncrypted("$inc", "$mul")},
		{"rename", `{'update':'c','updates':[{'q':{},'u':{'$rename':{'det':'plain'}}}]}`, "", analysis.RenameMetadata()},
		{"pointer", `{'update':'c','updates':[{'q':{},'u':{'$set':{'point':'x'}}}]}`, "", analysis.PointerNotSupported()},
		{"command", `{'mapReduce':'c'}`, "", analysis.CommandNotSupported("mapReduce")},
		{"database", `{'aggregate':1,'pipeline':[]}`, "", analysis.NonCollectionCommand("aggregate")},
		{"families", `{'aggregate':'c','pipeline':[{'$lookup':{'from':'q','pipeline':[],'as':'o'}}]}`, "", analysis.BothFamilies()},
	})
}

func TestMessagesOfSchemas(t *testing.T) {
	for _, tt := range []struct{ name, schema, want string }{
		{"keyword", `{'bsonType':'object','required':['a'],'properties':{'a':{'encrypt':{'keyId':[KEY],` + random + `}}}}`, analysis.RemoteKeyword("required")},
		{"no key", `{'bsonType':'object','properties':{'a':{'encrypt':{` + random + `}}}}`, analysis.InvalidSchema("")},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := FromJSONSchema(parse(t, tt.schema), false); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}
