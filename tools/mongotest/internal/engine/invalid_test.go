package engine_test

import (
	"fmt"
	"testing"
)

// TestDetailsOfInvalidDocuments compares the details of errInfo.
func TestDetailsOfInvalidDocuments(t *testing.T) {
	for i, test := range []struct{ name, validator, document, want string }{
		{"type", `{x:{$type:'string'}}`, `{x:1}`, `{operatorName:'$type',specifiedAs:{x:{$type:'string'}},reason:'type did not match',consideredValue:1,consideredType:'int'}`},
		{"missing field", `{x:{$gt:5}}`, `{y:1}`, `{operatorName:'$gt',specifiedAs:{x:{$gt:5}},reason:'field was missing'}`},
		{"comparison", `{x:{$gt:5}}`, `{x:1}`, `{operatorName:'$gt',specifiedAs:{x:{$gt:5}},reason:'comparison failed',consideredValue:1}`},
		{"equality", `{x:5}`, `{x:1}`, `{operatorName:'$eq',specifiedAs:{x:5},reason:'comparison failed',consideredValue:1}`},
		{"exists", `{x:{$exists:true}}`, `{y:1}`, `{operatorName:'$exists',specifiedAs:{x:{$exists:true}},reason:'path does not exist'}`},
		{"in", `{x:{$in:[1,2]}}`, `{x:3}`, `{operatorName:'$in',specifiedAs:{x:{$in:[1,2]}},reason:'no matching value found in array',consideredValue:3}`},
		{"two conditions", `{x:{$gt:1,$lt:5}}`, `{x:7}`, `{operatorName:'$and',clausesNotSatisfied:[{index:1,details:{operatorName:'$lt',specifiedAs:{x:{$lt:5}},reason:'comparison failed',consideredValue:7}}]}`},
		{"or", `{$or:[{x:1},{y:1}]}`, `{x:2}`, `{operatorName:'$or',clausesNotSatisfied:[{index:0,details:{operatorName:'$eq',specifiedAs:{x:1},reason:'comparison failed',consideredValue:2}},{index:1,details:{operatorName:'$eq',specifiedAs:{y:1},reason:'field was missing'}}]}`},
		{"expression", `{$expr:{$eq:['$a','$b']}}`, `{a:1,b:2}`, `{operatorName:'$expr',specifiedAs:{$expr:{$eq:['$a','$b']}},reason:'expression did not match',expressionResult:false}`},
		{"schema, required", `{$jsonSchema:{title:'T',required:['a','b']}}`, `{a:1}`, `{operatorName:'$jsonSchema',title:'T',schemaRulesNotSatisfied:[{operatorName:'required',specifiedAs:{required:['a','b']},missingProperties:['b']}]}`},
		{"schema, properties", `{$jsonSchema:{properties:{a:{bsonType:'string',description:'D'},b:{minimum:5}}}}`, `{a:1,b:7}`,
			`{operatorName:'$jsonSchema',schemaRulesNotSatisfied:[{operatorName:'properties',propertiesNotSatisfied:[{propertyName:'a',description:'D',details:[{operatorName:'bsonType',specifiedAs:{bsonType:'string'},reason:'type did not match',consideredValue:1,consideredType:'int'}]}]}]}`},
		{"schema, a number too small", `{$jsonSchema:{properties:{b:{minimum:5}}}}`, `{b:3}`,
			`{operatorName:'$jsonSchema',schemaRulesNotSatisfied:[{operatorName:'properties',propertiesNotSatisfied:[{propertyName:'b',details:[{operatorName:'minimum',specifiedAs:{minimum:5},reason:'comparison failed',consideredValue:3}]}]}]}`},
		{"schema, other properties", `{$jsonSchema:{properties:{_id:{},a:{}},additionalProperties:false}}`, `{a:1,z:2}`,
			`{operatorName:'$jsonSchema',schemaRulesNotSatisfied:[{operatorName:'additionalProperties',specifiedAs:{additionalProperties:false},additionalProperties:['z']}]}`},
		{"schema, items", `{$jsonSchema:{properties:{l:{items:{bsonType:'int'}}}}}`, `{l:[1,'x']}`,
			`{operatorName:'$jsonSchema',schemaRulesNotSatisfied:[{operatorName:'properties',propertiesNotSatisfied:[{propertyName:'l',details:[{operatorName:'items',reason:'At least one item did not match the sub-schema',itemIndex:1,details:[{operatorName:'bsonType',specifiedAs:{bsonType:'int'},reason:'type did not match',consideredValue:'x',consideredType:'string'}]}]}]}]}`},
		{"schema, one of", `{$jsonSchema:{properties:{a:{anyOf:[{bsonType:'string'},{maximum:1}]}}}}`, `{a:2}`,
			`{operatorName:'$jsonSchema',schemaRulesNotSatisfied:[{operatorName:'properties',propertiesNotSatisfied:[{propertyName:'a',details:[{operatorName:'anyOf',schemasNotSatisfied:[{index:0,details:[{operatorName:'bsonType',specifiedAs:{bsonType:'string'},reason:'type did not match',consideredValue:2,consideredType:'int'}]},{index:1,details:[{operatorName:'maximum',specifiedAs:{maximum:1},reason:'comparison failed',consideredValue:2}]}]}]}]}]}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newServer(t)
			c := fmt.Sprintf("c%d", i)
			s.run(t, `{create:'`+c+`',validator:`+test.validator+`}`)
			s.want(t, `{insert:'`+c+`',documents:[`+test.document+`]}`, test.want, "writeErrors", "0", "errInfo", "details")
		})
	}
}
