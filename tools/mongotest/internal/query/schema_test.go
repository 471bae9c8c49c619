package query_test

import "testing"

func TestSchemas(t *testing.T) {
	testMatches(t, []matchCase{
		{"required", `{$jsonSchema:{required:['a','b']}}`, 0, []string{`{a:null,b:1}`}, []string{`{a:1}`}},
		{"properties hold only when present", `{$jsonSchema:{properties:{a:{bsonType:'int'}}}}`, 0, []string{`{}`, `{a:1}`}, []string{`{a:'x'}`, `{a:null}`}},
		{"type of another kind than objects at the top", `{$jsonSchema:{bsonType:'string'}}`, 0, nil, []string{`{}`, `{a:'x'}`}},
		{"several types", `{$jsonSchema:{properties:{a:{bsonType:['int','string']}}}}`, 0, []string{`{a:1}`, `{a:'x'}`}, []string{`{a:1.5}`}},
		{"JSON types", `{$jsonSchema:{properties:{a:{type:'number'},b:{type:'boolean'}}}}`, 0, []string{`{a:{$numberLong:'1'},b:true}`}, []string{`{a:'1'}`, `{b:1}`}},
		{"nested objects", `{$jsonSchema:{properties:{a:{bsonType:'object',required:['b'],properties:{b:{type:'string'}}}}}}`, 0, []string{`{a:{b:'x'}}`, `{}`}, []string{`{a:{}}`, `{a:{b:1}}`, `{a:1}`}},
		{"required says nothing of scalars", `{$jsonSchema:{properties:{a:{required:['b']}}}}`, 0, []string{`{a:1}`, `{a:[1]}`, `{a:{b:1}}`}, []string{`{a:{}}`}},
		{"minimum and maximum", `{$jsonSchema:{properties:{a:{minimum:1,maximum:5,exclusiveMaximum:true}}}}`, 0, []string{`{a:1}`, `{a:4.9}`, `{a:'x'}`}, []string{`{a:0}`, `{a:5}`, `{a:{$numberDouble:'NaN'}}`}},
		{"not exclusive", `{$jsonSchema:{properties:{a:{minimum:1,exclusiveMinimum:false}}}}`, 0, []string{`{a:1}`}, []string{`{a:0}`}},
		{"multipleOf", `{$jsonSchema:{properties:{a:{multipleOf:2}}}}`, 0, []string{`{a:4}`, `{a:-2}`, `{a:'x'}`}, []string{`{a:3}`, `{a:4.5}`}},
		{"lengths count characters", `{$jsonSchema:{properties:{a:{minLength:2,maxLength:3}}}}`, 0, []string{`{a:'éé'}`, `{a:5}`}, []string{`{a:'é'}`, `{a:'abcd'}`}},
		{"pattern is unanchored", `{$jsonSchema:{properties:{a:{pattern:'b+'}}}}`, 0, []string{`{a:'abc'}`, `{a:1}`}, []string{`{a:'x'}`}},
		{"numbers of items", `{$jsonSchema:{properties:{a:{minItems:1,maxItems:2}}}}`, 0, []string{`{a:[1]}`, `{a:'x'}`}, []string{`{a:[]}`, `{a:[1,2,3]}`}},
		{"unique items whatever the order of fields", `{$jsonSchema:{properties:{a:{uniqueItems:true}}}}`, 0, []string{`{a:[1,2]}`}, []string{`{a:[1,1.0]}`, `{a:[{b:1,c:2},{c:2,b:1}]}`}},
		{"one schema for all items", `{$jsonSchema:{properties:{a:{items:{type:'string'}}}}}`, 0, []string{`{a:['x']}`, `{a:[]}`, `{a:1}`}, []string{`{a:['x',1]}`}},
		{"schemas by position", `{$jsonSchema:{properties:{a:{items:[{type:'string'},{type:'number'}],additionalItems:false}}}}`, 0, []string{`{a:['x']}`, `{a:['x',1]}`}, []string{`{a:[1]}`, `{a:['x',1,2]}`}},
		{"additional items by a schema", `{$jsonSchema:{properties:{a:{items:[{type:'string'}],additionalItems:{type:'number'}}}}}`, 0, []string{`{a:['x',1,2]}`}, []string{`{a:['x','y']}`}},
		{"additional items without items", `{$jsonSchema:{properties:{a:{additionalItems:false}}}}`, 0, []string{`{a:[1,2]}`}, nil},
		{"pattern properties", `{$jsonSchema:{patternProperties:{'^n_':{type:'number'}}}}`, 0, []string{`{n_a:1,x:'y'}`}, []string{`{n_a:'x'}`}},
		{"no additional properties", `{$jsonSchema:{properties:{a:{}},patternProperties:{'^b':{}},additionalProperties:false}}`, 0, []string{`{a:1,bb:2}`}, []string{`{a:1,c:1}`}},
		{"additional properties by a schema", `{$jsonSchema:{properties:{a:{}},additionalProperties:{type:'number'}}}`, 0, []string{`{a:'x',b:1}`}, []string{`{b:'x'}`}},
		{"numbers of properties", `{$jsonSchema:{minProperties:1,maxProperties:2}}`, 0, []string{`{a:1}`}, []string{`{}`, `{a:1,b:2,c:3}`}},
		{"dependencies", `{$jsonSchema:{dependencies:{a:['b'],c:{required:['d']}}}}`, 0, []string{`{}`, `{a:1,b:1}`, `{c:1,d:1}`}, []string{`{a:1}`, `{c:1}`}},
		{"allOf", `{$jsonSchema:{allOf:[{required:['a']},{required:['b']}]}}`, 0, []string{`{a:1,b:1}`}, []string{`{a:1}`}},
		{"anyOf", `{$jsonSchema:{anyOf:[{required:['a']},{required:['b']}]}}`, 0, []string{`{a:1}`, `{a:1,b:1}`}, []string{`{}`}},
		{"oneOf", `{$jsonSchema:{oneOf:[{required:['a']},{required:['b']}]}}`, 0, []string{`{a:1}`}, []string{`{}`, `{a:1,b:1}`}},
		{"not", `{$jsonSchema:{not:{required:['a']}}}`, 0, []string{`{}`}, []string{`{a:1}`}},
		{"enum whatever the order of fields", `{$jsonSchema:{properties:{a:{enum:[1,{b:1,c:2}]}}}}`, 0, []string{`{a:1.0}`, `{a:{c:2,b:1}}`}, []string{`{a:2}`, `{a:[1]}`}},
		{"encrypt", `{$jsonSchema:{properties:{a:{encrypt:{}}}}}`, 0, []string{`{}`, `{a:{$binary:{base64:'AQ==',subType:'06'}}}`}, []string{`{a:'x'}`, `{a:{$binary:{base64:'AQ==',subType:'00'}}}`}},
		{"encrypt with a type", `{$jsonSchema:{properties:{a:{encrypt:{bsonType:'string'}}}}}`, 0, []string{`{a:{$binary:{base64:'AQAAAAAAAAAAAAAAAAAAAAACAA==',subType:'06'}}}`}, []string{`{a:{$binary:{base64:'AQAAAAAAAAAAAAAAAAAAAAAQAA==',subType:'06'}}}`,
			`{a:{$binary:{base64:'EAAAAAAAAAAAAAAAAAAAAAACAA==',subType:'06'}}}`, `{a:{$binary:{base64:'AQ==',subType:'06'}}}`}},
		{"title and description", `{$jsonSchema:{title:'t',description:'d',required:['a']}}`, 0, []string{`{a:1}`}, []string{`{}`}},
		{"beside other conditions", `{a:1,$jsonSchema:{required:['b']}}`, 0, []string{`{a:1,b:1}`}, []string{`{a:1}`, `{b:1}`}},
	})
}

func TestSchemaRefusals(t *testing.T) {
	tests := []refusal{
		{`{foo:1}`, 0, 9, "Unknown $jsonSchema keyword: foo"},
		{`{format:'x'}`, 0, 9, "$jsonSchema keyword 'format' is not currently supported"},
		{`{required:1}`, 0, 14, "$jsonSchema keyword 'required' must be an array, but found an element of type int"},
		{`{required:[]}`, 0, 9, "$jsonSchema keyword 'required' cannot be an empty array"},
		{`{required:[1]}`, 0, 14, "$jsonSchema keyword 'required' must be an array of strings, but found an element of type: int"},
		{`{required:['a','a']}`, 0, 9, "$jsonSchema keyword 'required' array cannot contain duplicate values"},
		{`{type:1}`, 0, 14, "$jsonSchema keyword 'type' must be either a string or an array of strings"},
		{`{type:'integer'}`, 0, 9, "$jsonSchema type 'integer' is not currently supported."},
		{`{type:'int'}`, 0, 2, "Unknown type name alias: int"},
		{`{bsonType:'integer'}`, 0, 2, "Unknown type name alias: integer"},
		{`{bsonType:[]}`, 0, 9, "$jsonSchema keyword 'bsonType' must name at least one type"},
		{`{type:'string',bsonType:'string'}`, 0, 9, "Cannot specify both $jsonSchema keywords 'type' and 'bsonType'"},
		{`{enum:1}`, 0, 14, "$jsonSchema keyword 'enum' must be an array, but found an element of type int"},
		{`{enum:[]}`, 0, 9, "$jsonSchema keyword 'enum' cannot be an empty array"},
		{`{enum:[1,1.0]}`, 0, 9, "$jsonSchema keyword 'enum' array cannot contain duplicate values."},
		{`{allOf:1}`, 0, 14, "$jsonSchema keyword 'allOf' must be an array"},
		{`{anyOf:[]}`, 0, 2, "$jsonSchema keyword 'anyOf' must be a non-empty array"},
		{`{oneOf:[1]}`, 0, 14, "$jsonSchema keyword 'oneOf' must be an array of objects, but found an element of type int"},
		{`{not:1}`, 0, 14, "$jsonSchema keyword 'not' must be an object, but found an element of type int"},
		{`{minimum:'x'}`, 0, 14, "$jsonSchema keyword 'minimum' must be a number"},
		{`{exclusiveMaximum:true}`, 0, 9, "$jsonSchema keyword 'maximum' must be a present if exclusiveMaximum is present"},
		{`{minimum:1,exclusiveMinimum:1}`, 0, 14, "$jsonSchema keyword 'exclusiveMinimum' must be a boolean"},
		{`{multipleOf:0}`, 0, 9, "$jsonSchema keyword 'multipleOf' must have a positive value"},
		{`{maxLength:'x'}`, 0, 9, `Expected a number in: maxLength: "x"`},
		{`{minItems:-1}`, 0, 9, "Expected a non-negative number in: minItems: -1"},
		{`{pattern:1}`, 0, 14, "$jsonSchema keyword 'pattern' must be a string"},
		{`{uniqueItems:1}`, 0, 14, "$jsonSchema keyword 'uniqueItems' must be a boolean"},
		{`{items:1}`, 0, 14, "$jsonSchema keyword 'items' must be an array or an object, not int"},
		{`{items:[1]}`, 0, 14, "$jsonSchema keyword 'items' requires that each element of the array is an object, but found a int"},
		{`{additionalItems:1}`, 0, 14, "$jsonSchema keyword 'additionalItems' must be either an object or a boolean, but got a int"},
		{`{properties:1}`, 0, 14, "$jsonSchema keyword 'properties' must be an object"},
		{`{properties:{a:1}}`, 0, 14, "Nested schema for $jsonSchema property 'a' must be an object"},
		{`{patternProperties:{a:1}}`, 0, 14, "$jsonSchema keyword 'patternProperties' has property 'a' which is not an object"},
		{`{additionalProperties:1}`, 0, 14, "$jsonSchema keyword 'additionalProperties' must be an object or a boolean"},
		{`{dependencies:{a:1}}`, 0, 14, "property 'a' in $jsonSchema keyword 'dependencies' must be either an object or an array"},
		{`{dependencies:{a:[]}}`, 0, 9, "property 'a' in $jsonSchema keyword 'dependencies' cannot be an empty array"},
		{`{title:1}`, 0, 14, "$jsonSchema keyword 'title' must be of type string"},
		{`{encrypt:{},bsonType:'string'}`, 0, 9, "$jsonSchema keyword 'encrypt' cannot be used in conjunction with 'bsonType', 'encrypt' implies type 'bsonType::BinData'"},
	}
	for i := range tests {
		tests[i].filter = `{$jsonSchema:` + tests[i].filter + `}`
	}
	testRefusals(t, false, tests)
}
