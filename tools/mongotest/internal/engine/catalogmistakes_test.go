package engine_test

import (
	"fmt"
	"testing"

	"github.com/specdrivers/onion/generated/errcode"
)

func TestMistakesOfCreate(t *testing.T) {
	check(t, []mistake{
		{"exists with other options", `{create:'c',capped:true,size:100}`, 48, "Collection db.c already exists.", 0},
		{"exists in 6.0", `{create:'c'}`, 48, "Collection already exists. NS: db.c", 17},
		{"exists as a view", `{create:'v'}`, 48, "A view already exists. NS: db.v", 0},
		{"exists as a time series", `{create:'times'}`, 48, "A timeseries collection already exists. NS: db.times", 0},
		{"capped without size", `{create:'n',capped:true}`, 72, "the 'size' field is required when 'capped' is true", 0},
		{"size without capped", `{create:'n',size:100}`, 72, "the 'capped' field needs to be true when either the 'size' or 'max' fields are present", 0},
		{"size of nothing", `{create:'n',capped:true,size:0}`, 51024, "BSON field 'size' value must be >= 1, actual value '0'", 0},
		{"max too large", `{create:'n',capped:true,size:1,max:{$numberLong:'2147483648'}}`, 2, "max in a capped collection has to be < 2^31 or not set", 0},
		{"pipeline without viewOn", `{create:'n',pipeline:[]}`, 72, "'pipeline' requires 'viewOn' to also be specified", 0},
		{"view on nothing", `{create:'n',viewOn:''}`, 2, "'viewOn' cannot be empty", 0},
		{"view with idIndex", `{create:'n',viewOn:'c',idIndex:{key:{_id:1},name:'_id_'}}`, 72, "'idIndex' is not allowed with 'viewOn'", 0},
		{"view with an unknown stage", `{create:'n',viewOn:'c',pipeline:[{$nope:1}]}`, 40324, "Unrecognized pipeline stage name: '$nope'", 0},
		{"view that writes", `{create:'n',viewOn:'c',pipeline:[{$out:'x'}]}`, 167, "Invalid pipeline for view db.n :: caused by ::", 0},
		{"view on itself", `{create:'n',viewOn:'n'}`, 5, "View cycle detected: db.n => db.n", 0},
		{"view with another collation", `{create:'n',viewOn:'fv'}`, 167, "View db.n has conflicting collation with view db.fv", 0},
		{"view with images", `{create:'n',viewOn:'c',changeStreamPreAndPostImages:{enabled:true}}`, 72, "option not supported on a view: changeStreamPreAndPostImages", 0},
		{"images without enabled", `{create:'n',changeStreamPreAndPostImages:{}}`, 40414, "BSON field 'create.changeStreamPreAndPostImages.enabled' is missing but a required field", 0},
		{"images in 5.0", `{create:'n',changeStreamPreAndPostImages:{enabled:true}}`, 40415, "BSON field 'create.changeStreamPreAndPostImages' is an unknown field.", 13},
		{"unknown level", `{create:'n',validationLevel:'x'}`, 2, "Enumeration value 'x' for field 'create.validationLevel' is not a valid value.", 0},
		{"unknown action", `{create:'n',validationAction:'x'}`, 2, "Enumeration value 'x' for field 'create.validationAction' is not a valid value.", 0},
		{"action of 8.1", `{create:'n',validationAction:'errorAndLog'}`, 2, "Enumeration value 'errorAndLog' for field 'create.validationAction' is not a valid value.", 0},
		{"validator with $near", `{create:'n',validator:{a:{$near:[1,1]}}}`, 5626500, "$geoNear, $near, and $nearSphere are not allowed in this context", 0},
		{"a span that granularity does not have", `{create:'n',timeseries:{timeField:'t',bucketMaxSpanSeconds:100}}`, 72, "must be set together", 0},
		{"a span in 5.0", `{create:'n',timeseries:{timeField:'t',bucketMaxSpanSeconds:100}}`, 5510500, "is not configurable to a value other than the default of 3600", 13},
		{"wrong validator", `{create:'n',validator:{$nope:1}}`, 2, "unknown top level operator: $nope", 0},
		{"empty collation", `{create:'n',collation:{}}`, 40414, "locale", 0},
		{"unknown locale", `{create:'n',collation:{locale:'no such'}}`, 2, `Field 'locale' is invalid in: { locale: "no such" }`, 0},
		{"clustered by another key", `{create:'n',clusteredIndex:{key:{a:1},unique:true}}`, 5979701, "The clusteredIndex option is only supported for key: {_id: 1}", 0},
		{"clustered and not unique", `{create:'n',clusteredIndex:{key:{_id:1},unique:false}}`, 5979700, "The clusteredIndex option requires unique: true to be specified", 0},
		{"clustered without a key", `{create:'n',clusteredIndex:{unique:true}}`, 40414, "BSON field 'create.clusteredIndex.key' is missing but a required field", 0},
		{"clustered in 5.0", `{create:'n',clusteredIndex:{key:{_id:1},unique:true}}`, 40415, "BSON field 'create.clusteredIndex' is an unknown field.", 13},
		{"expiry of a plain collection", `{create:'n',expireAfterSeconds:1}`, 72, "'expireAfterSeconds' is only supported on time-series collections or when the 'clusteredIndex' option is specified", 0},
		{"negative expiry", `{create:'n',expireAfterSeconds:-1,timeseries:{timeField:'t'}}`, 72, "TTL index 'expireAfterSeconds' option cannot be less than 0", 0},
		{"time series without a time", `{create:'n',timeseries:{}}`, 40414, "BSON field 'create.timeseries.timeField' is missing but a required field", 0},
		{"time series that is capped", `{create:'n',capped:true,size:1,timeseries:{timeField:'t'}}`, 72, "'timeseries' is not allowed with 'capped'", 0},
		{"time below the top", `{create:'n',timeseries:{timeField:'a.t'}}`, 72, "must be a top-level field and not contain a '.'", 0},
		{"meta that is the time", `{create:'n',timeseries:{timeField:'t',metaField:'t'}}`, 72, "'metaField' cannot be the same as 'timeField'", 0},
		{"meta that is _id", `{create:'n',timeseries:{timeField:'t',metaField:'_id'}}`, 72, `'metaField' cannot be "_id"`, 0},
		{"unknown granularity", `{create:'n',timeseries:{timeField:'t',granularity:'x'}}`, 2, "Enumeration value 'x' for field 'create.timeseries.granularity' is not a valid value.", 0},
		{"time series in 4.4", `{create:'n',timeseries:{timeField:'t'}}`, 72, "The field 'timeseries' is not a valid collection option.", 9},
		{"idIndex of another key", `{create:'n',idIndex:{key:{a:1},name:'_id_'}}`, 2, "The field 'key' for an _id index must be {_id: 1}, but got { a: 1 }", 0},
		{"idIndex with an option", `{create:'n',idIndex:{key:{_id:1},name:'_id_',foo:1}}`, 197, "The field 'foo' is not valid for an index specification.", 0},
		{"idIndex with another collation", `{create:'n',idIndex:{key:{_id:1},name:'_id_',collation:{locale:'fr'}}}`, 2, "'idIndex' must have the same collation as the collection.", 0},
		{"temporary", `{create:'n',temp:true}`, 72, "the 'temp' field is an invalid option", 0},
		{"encrypted and capped", `{create:'n',capped:true,size:1,encryptedFields:{fields:[]}}`, 6367301, "Encrypted fields cannot be used with capped collections", 0},
		{"encrypted view", `{create:'n',viewOn:'c',encryptedFields:{fields:[]}}`, 6346401, "Encrypted fields cannot be used with views or timeseries collections", 0},
	})
}

func TestMistakesOfTheCatalog(t *testing.T) {
	check(t, []mistake{
		{"drop of nothing in 6.0", `{drop:'n'}`, 26, "ns not found", 17},
		{"dropDatabase of something else", `{dropDatabase:2}`, 20, "have to pass 1 as db parameter", 0},
		{"dropDatabase of text", `{dropDatabase:'x'}`, 14, "BSON field 'dropDatabase.dropDatabase' is the wrong type 'string', expected types '[long, int, decimal, double']", 0},
		{"rename of nothing", `{renameCollection:'db.n',to:'db.m'}`, 26, "Source collection db.n does not exist", 0},
		{"rename to itself", `{renameCollection:'db.c',to:'db.c'}`, 20, "Can't rename a collection to itself", 0},
		{"rename over another", `{renameCollection:'db.c',to:'db.capped'}`, 48, "target namespace exists", 0},
		{"rename over a view", `{renameCollection:'db.c',to:'db.v',dropTarget:true}`, 48, "a view already exists with that name: db.v", 0},
		{"rename of a view", `{renameCollection:'db.v',to:'db.m'}`, 166, "cannot rename view: db.v", 0},
		{"rename of a time series", `{renameCollection:'db.times',to:'db.m'}`, 20, "Cannot rename timeseries collection db.times", 0},
		{"rename without a target", `{renameCollection:'db.c'}`, 40414, "BSON field 'renameCollection.to' is missing but a required field", 0},
		{"rename of a number", `{renameCollection:1,to:'db.m'}`, 14, "BSON field 'renameCollection.renameCollection' is the wrong type 'int', expected type 'string'", 0},
		{"collMod of nothing", `{collMod:'n'}`, 26, "ns does not exist", 0},
		{"collMod with a pipeline", `{collMod:'c',pipeline:[]}`, 72, "'pipeline' option only supported on a view", 0},
		{"collMod of a view's validator", `{collMod:'v',validator:{}}`, 72, "option not supported on a view: validator", 0},
		{"collMod to a cycle", `{collMod:'v',viewOn:'w',pipeline:[]}`, 5, "View cycle detected: db.v => db.w => db.v", 0},
		{"collMod to nothing", `{collMod:'v',viewOn:'',pipeline:[]}`, 2, "'viewOn' cannot be empty", 0},
		{"collMod to a time series", `{collMod:'c',timeseries:{granularity:'hours'}}`, 72, "option only supported on a time-series collection: timeseries", 0},
		{"collMod to an unknown granularity", `{collMod:'times',timeseries:{granularity:'x'}}`, 2, "Enumeration value 'x' for field 'collMod.timeseries.granularity'", 0},
		{"collMod to a span of nothing", `{collMod:'times',timeseries:{bucketMaxSpanSeconds:7200}}`, 72, "must be set together", 0},
		{"collMod to a shorter span", `{collMod:'times',timeseries:{bucketMaxSpanSeconds:60,bucketRoundingSeconds:60}}`, 72, "Invalid transition for timeseries.bucketMaxSpanSeconds", 0},
		{"collMod of a size that is not capped", `{collMod:'c',cappedSize:100}`, 72, "Collection must be capped.", 0},
		{"collMod of an expiry that is not clustered", `{collMod:'c',expireAfterSeconds:1}`, 72, "only supported on collections clustered by _id", 0},
		{"collMod with an unknown level", `{collMod:'c',validationLevel:'x'}`, 2, "Enumeration value 'x' for field 'collMod.validationLevel' is not a valid value.", 0},
		{"collMod with a wrong validator", `{collMod:'c',validator:{$nope:1}}`, 2, "unknown top level operator: $nope", 0},
		{"collMod of an index without one", `{collMod:'c',index:{hidden:true}}`, 72, "Must specify either index name or key pattern.", 0},
		{"collMod of an index with two names", `{collMod:'c',index:{name:'a_1',keyPattern:{a:1},hidden:true}}`, 72, "Cannot specify both key pattern and name.", 0},
		{"collMod of an index to nothing", `{collMod:'c',index:{name:'a_1'}}`, 72, "no expireAfterSeconds, hidden, unique, or prepareUnique field", 0},
		{"collMod of an unknown index", `{collMod:'c',index:{name:'no',hidden:true}}`, 27, "cannot find index no for ns db.c", 0},
		{"collMod of an unknown index by key", `{collMod:'c',index:{keyPattern:{z:1},hidden:true}}`, 27, "cannot find index { z: 1 } for ns db.c", 0},
		{"collMod of an unknown index field", `{collMod:'c',index:{name:'a_1',foo:1}}`, 40415, "BSON field 'collMod.index.foo' is an unknown field.", 0},
		{"collMod of an unknown index field in 4.4", `{collMod:'c',index:{name:'a_1',foo:1}}`, 72, "Unrecognized field 'foo' in 'index' option", 9},
		{"collMod that hides _id", `{collMod:'c',index:{name:'_id_',hidden:true}}`, 2, "can't hide _id index", 0},
		{"collMod to a negative expiry", `{collMod:'c',index:{name:'a_1',expireAfterSeconds:-1}}`, 72, "cannot be less than 0", 0},
		{"collMod to an expiry in 5.0", `{collMod:'c',index:{name:'a_1',expireAfterSeconds:1}}`, 72, "no expireAfterSeconds field to update", 13},
		{"collMod to an expiry of _id", `{collMod:'c',index:{name:'_id_',expireAfterSeconds:1}}`, 72, "the _id field does not support TTL indexes", 0},
		{"collMod to unique unprepared", `{collMod:'c',index:{name:'a_1',unique:true}}`, 72, "Cannot make index unique with 'prepareUnique=false'. Run collMod to set it first.", 0},
		{"collMod to not unique", `{collMod:'c',index:{name:'a_1',unique:false}}`, 2, "Cannot make index non-unique", 0},
	})
}

func TestMistakesOfIndexes(t *testing.T) {
	spec := func(s string) string { return `{createIndexes:'c',indexes:[` + s + `]}` }
	check(t, []mistake{
		{"2d with many bits", spec(`{key:{z:'2d'},name:'z',bits:40}`), 72, "bits for hash must be > 0 and <= 32, but 40 bits were specified", 0},
		{"2d of nowhere", spec(`{key:{z:'2d'},name:'z',min:5,max:1}`), 72, "region for hash must be valid and have positive area, but [5, 1] was specified", 0},
		{"sphere of another version", spec(`{key:{z:'2dsphere'},name:'z','2dsphereIndexVersion':9}`), 67, "unsupported geo index version { 2dsphereIndexVersion : 9 }", 0},
		{"a projection of some fields without others", spec(`{key:{'$**':1},name:'z',wildcardProjection:{a:1,b:0}}`), 31254, "Cannot do exclusion on field b in inclusion projection", 0},
		{"the other way round", spec(`{key:{'$**':1},name:'z',wildcardProjection:{a:{x:0},b:1}}`), 31253, "Cannot do inclusion on field b in exclusion projection", 0},
		{"a projection of an ordinary index", spec(`{key:{z:1},name:'z',wildcardProjection:{b:0}}`), 2, "only allowed in an 'wildcard' index", 0},
		{"time series that is unique", `{createIndexes:'times',indexes:[{key:{t:1},name:'u',unique:true}]}`, 72, "Unique indexes are not supported on time-series collections", 0},
		{"time series with text", `{createIndexes:'times',indexes:[{key:{x:'text'},name:'x'}]}`, 72, "Text indexes are not supported on time-series collections", 0},
		{"none", spec(``), 2, "Must specify at least one index to create", 0},
		{"without a list", `{createIndexes:'c'}`, 40414, "BSON field 'createIndexes.indexes' is missing but a required field", 0},
		{"commitQuorum in 4.2", `{createIndexes:'c',indexes:[{key:{z:1},name:'z'}],commitQuorum:1}`, 2, "Invalid field specified for createIndexes command: commitQuorum", 8},
		{"without a key", spec(`{name:'z'}`), 9, "Error in specification { name: \"z\" } :: caused by :: The 'key' field is a required property of an index specification", 0},
		{"without a name", spec(`{key:{z:1}}`), 9, "The 'name' field is a required property of an index specification", 0},
		{"empty name", spec(`{key:{z:1},name:''}`), 67, "index name cannot be empty", 0},
		{"name of a star", spec(`{key:{z:1},name:'*'}`), 2, "The index name '*' is not valid.", 0},
		{"key of another type", spec(`{key:1,name:'z'}`), 14, "The field 'key' must be an object, but got int", 0},
		{"name of another type", spec(`{key:{z:1},name:1}`), 14, "The field 'name' must be a string, but got int", 0},
		{"empty key", spec(`{key:{},name:'z'}`), 67, "Index keys cannot be empty.", 0},
		{"key of zero", spec(`{key:{z:0},name:'z'}`), 67, "Values in the index key pattern cannot be 0.", 0},
		{"key that is no direction", spec(`{key:{z:true},name:'z'}`), 67, "Values in v:2 index key pattern cannot be of type bool. Only numbers > 0, numbers < 0, and strings are allowed.", 0},
		{"unknown plugin", spec(`{key:{z:'x'},name:'z'}`), 67, "Unknown index plugin 'x'", 0},
		{"two plugins", spec(`{key:{y:'hashed',z:'2dsphere'},name:'z'}`), 67, "Can't use more than one index plugin for a single index.", 0},
		{"empty field", spec(`{key:{'':1},name:'z'}`), 67, "Index keys cannot be an empty field.", 0},
		{"empty part", spec(`{key:{'a..b':1},name:'z'}`), 67, "Index keys cannot contain an empty field.", 0},
		{"dollar", spec(`{key:{$a:1},name:'z'}`), 67, "Index key contains an illegal field name: field name starts with '$'.", 0},
		{"version", spec(`{key:{z:1},name:'z',v:3}`), 67, "cannot create an index with v=3", 0},
		{"unknown option", spec(`{key:{z:1},name:'z',foo:1}`), 197, "The field 'foo' is not valid for an index specification. Specification: ", 0},
		{"hidden in 4.2", spec(`{key:{z:1},name:'z',hidden:true}`), 197, "The field 'hidden' is not valid for an index specification.", 8},
		{"unique that is text", spec(`{key:{z:1},name:'z',unique:'x'}`), 14, "which is not convertible to bool", 0},
		{"expiry that is text", spec(`{key:{z:1},name:'z',expireAfterSeconds:'x'}`), 67, "TTL index 'expireAfterSeconds' option must be numeric, but received a type of 'string'.", 0},
		{"negative expiry", spec(`{key:{z:1},name:'z',expireAfterSeconds:-1}`), 67, "TTL index 'expireAfterSeconds' option cannot be less than 0. Index spec: ", 0},
		{"huge expiry", spec(`{key:{z:1},name:'z',expireAfterSeconds:3000000000}`), 67, "must be within an acceptable range", 0},
		{"expiry of two fields", spec(`{key:{z:1,y:1},name:'z',expireAfterSeconds:1}`), 67, "TTL indexes are single-field indexes, compound indexes do not support TTL.", 0},
		{"expiry of _id", spec(`{key:{_id:1},name:'z',expireAfterSeconds:1}`), 197, "The field 'expireAfterSeconds' is not valid for an _id index specification.", 0},
		{"descending _id", spec(`{key:{_id:-1},name:'z'}`), 2, "The field 'key' for an _id index must be {_id: 1}, but got { _id: -1 }", 0},
		{"_id with another collation", spec(`{key:{_id:1},name:'_id_',collation:{locale:'fr'}}`), 67, "_id index must have the collection default collation", 0},
		{"partial and sparse", spec(`{key:{z:1},name:'z',sparse:true,partialFilterExpression:{a:1}}`), 67, `cannot mix "partialFilterExpression" and "sparse" options`, 0},
		{"partial with a negation", spec(`{key:{z:1},name:'z',partialFilterExpression:{a:{$ne:1}}}`), 67, "Expression not supported in partial index", 0},
		{"partial that is missing", spec(`{key:{z:1},name:'z',partialFilterExpression:{a:{$exists:false}}}`), 67, "Expression not supported in partial index", 0},
		{"partial with $in in 5.0", spec(`{key:{z:1},name:'z',partialFilterExpression:{a:{$in:[1]}}}`), 67, "Expression not supported in partial index", 13},
		{"empty collation", spec(`{key:{z:1},name:'z',collation:{}}`), 2, "The field 'collation' cannot be an empty object.", 0},
		{"text with a collation", spec(`{key:{z:'text'},name:'z',collation:{locale:'fr'}}`), 67, "Index type 'text' does not support collation", 0},
		{"unique and hashed", spec(`{key:{z:'hashed'},name:'z',unique:true}`), 16764, "Currently hashed indexes cannot guarantee uniqueness. Use a regular index.", 0},
		{"hashed twice", spec(`{key:{y:'hashed',z:'hashed'},name:'z'}`), 31303, "A maximum of one index field is allowed to be hashed but found 2", 0},
		{"hashed compound in 4.2", spec(`{key:{y:1,z:'hashed'},name:'z'}`), 16763, "Currently only single field hashed index supported.", 8},
		{"unique 2d", spec(`{key:{z:'2d'},name:'z',unique:true}`), 67, "mongotest stores indexes of type '2d' without their values", 0},
		{"unique and spherical", spec(`{key:{z:'2dsphere'},name:'z',unique:true}`), 67, "mongotest stores indexes of type '2dsphere'", 0},
		{"unique wildcard", spec(`{key:{'$**':1},name:'z',unique:true}`), 67, "Index type 'wildcard' does not support the 'unique' option", 0},
		{"compound wildcard in 6.0", spec(`{key:{a:1,'$**':1},name:'z'}`), 67, "wildcard indexes do not allow compounding", 17},
		{"haystack", spec(`{key:{a:'geoHaystack',b:1},name:'z',bucketSize:1}`), 67, "GeoHaystack indexes cannot be created in version 4.9 and above", 0},
		{"second text index", `{createIndexes:'texts',indexes:[{key:{a:'text'},name:'a'},{key:{b:'text'},name:'b'}]}`, 85, "An equivalent index already exists with a different name and options.", 0},
		{"second text index behind a field", `{createIndexes:'texts2',indexes:[{key:{a:'text'},name:'a'},{key:{x:1,b:'text'},name:'b'}]}`, 67, `only one text index per collection allowed, found existing text index "a"`, 0},
		{"another name", spec(`{key:{a:1},name:'other'}`), 85, "Index already exists with a different name: a_1", 0},
		{"other options and name", spec(`{key:{a:1},name:'other',expireAfterSeconds:1}`), 85, "An equivalent index already exists with a different name and options.", 0},
		{"other options", spec(`{key:{a:1},name:'a_1',expireAfterSeconds:1}`), 85, "An equivalent index already exists with the same name but different options.", 0},
		{"unique now", spec(`{key:{a:1},name:'a_1',unique:true}`), 86, "An existing index has the same name as the requested index.", 0},
		{"unique now in 4.4", spec(`{key:{a:1},name:'a_1',unique:true}`), 85, "An equivalent index already exists with the same name but different options.", 9},
		{"another key", spec(`{key:{z:1},name:'a_1'}`), 86, "An existing index has the same name as the requested index.", 0},
		{"expiry of a capped collection in 7.0", `{createIndexes:'capped',indexes:[{key:{z:1},name:'z',expireAfterSeconds:1}]}`, 67, "Cannot create TTL index on a capped collection", 21},
		{"on a view", `{createIndexes:'v',indexes:[{key:{z:1},name:'z'}]}`, 166, "Namespace db.v is a view, not a collection", 0},
		{"on arrays side by side", `{createIndexes:'c',indexes:[{key:{l:1,'l':1},name:'ll'}]}`, 2, "appears multiple times in the index key pattern", 0},
		{"list of nothing", `{listIndexes:'n'}`, 26, "ns does not exist: db.n", 0},
		{"drop in nothing", `{dropIndexes:'n',index:'*'}`, 26, "ns not found db.n", 0},
		{"drop without an index", `{dropIndexes:'c'}`, 40414, "BSON field 'dropIndexes.index' is missing but a required field", 0},
		{"drop of another type", `{dropIndexes:'c',index:true}`, 14, "BSON field 'dropIndexes.index' is the wrong type 'bool', expected types '[string, object']", 0},
		{"drop of numbers", `{dropIndexes:'c',index:[1]}`, 14, "index name must be a string", 0},
		{"drop of an unknown name", `{dropIndexes:'c',index:'no'}`, 27, "index not found with name [no]", 0},
		{"drop of an unknown key", `{dropIndexes:'c',index:{z:1}}`, 27, "can't find index with key: { z: 1 }", 0},
		{"drop of _id", `{dropIndexes:'c',index:'_id_'}`, 72, "cannot drop _id index", 0},
		{"drop of _id by key", `{dropIndexes:'c',index:{_id:1}}`, 72, "cannot drop _id index", 0},
		{"drop on a view", `{dropIndexes:'v',index:'*'}`, 166, "Cannot drop indexes on view db.v", 0},
	})
	s := newStock(t)
	for i := range 61 {
		s.run(t, fmt.Sprintf(`{createIndexes:'c',indexes:[{key:{f%d:1},name:'f%d'}]}`, i, i))
	}
	s.wantFailure(t, `{createIndexes:'c',indexes:[{key:{last:1},name:'last'}]}`, 67, "add index fails, too many indexes for db.c key:{ last: 1 }")
	s.run(t, `{createIndexes:'d',indexes:[{key:{a:1},name:'a'},{key:{a:1},name:'b',sparse:true}]}`)
	s.wantFailure(t, `{dropIndexes:'d',index:{a:1}}`, int32(errcode.AmbiguousIndexKeyPattern), "2 indexes found for key: { a: 1 }, identify by name instead.")
	s.wantFailure(t, `{collMod:'d',index:{keyPattern:{a:1},hidden:true}}`, int32(errcode.AmbiguousIndexKeyPattern), "matches 2 indexes, must use index name.")
}

// TestIndexesBecomeUnique converts an index with duplicates to a unique one.
func TestIndexesBecomeUnique(t *testing.T) {
	s := newStock(t)
	s.run(t, `{insert:'c',documents:[{_id:4,a:3}]}`)
	s.want(t, `{collMod:'c',index:{name:'a_1',prepareUnique:true}}`, `{prepareUnique_old:false,prepareUnique_new:true}`)
	s.wantWriteFailure(t, `{insert:'c',documents:[{a:3}]}`, 11000, "index: a_1 dup key: { a: 3 }")
	s.wantFailure(t, `{collMod:'c',index:{name:'a_1',unique:true}}`, int32(errcode.CannotConvertIndexToUnique), "Cannot convert the index to unique.")
	s.run(t, `{delete:'c',deletes:[{q:{_id:4},limit:1}]}`)
	s.want(t, `{collMod:'c',index:{name:'a_1',unique:true},dryRun:true}`, `{unique_new:true}`)
	s.want(t, `{collMod:'c',index:{name:'a_1',unique:true}}`, `{unique_new:true}`)
	s.want(t, `{collMod:'c',index:{name:'a_1',unique:true}}`, `{}`)
	s.want(t, `{listIndexes:'c'}`, `{v:2,key:{a:1},name:'a_1',unique:true}`, "cursor", "firstBatch", "1")
}

func TestIndexesAreHiddenAndExpire(t *testing.T) {
	s := newStock(t)
	s.want(t, `{collMod:'c',index:{name:'a_1',hidden:true}}`, `{hidden_old:false,hidden_new:true}`)
	s.want(t, `{collMod:'c',index:{name:'a_1',hidden:true}}`, `{}`)
	s.want(t, `{explain:{find:'c',filter:{a:1}}}`, `'COLLSCAN'`, "queryPlanner", "winningPlan", "stage")
	s.want(t, `{collMod:'c',index:{keyPattern:{a:1},expireAfterSeconds:5,hidden:false}}`, `{expireAfterSeconds_new:{$numberLong:'5'},hidden_old:true,hidden_new:false}`)
	s.want(t, `{collMod:'c',index:{keyPattern:{a:1},expireAfterSeconds:6}}`, `{expireAfterSeconds_old:{$numberLong:'5'},expireAfterSeconds_new:{$numberLong:'6'}}`)
	s.want(t, `{listIndexes:'c'}`, `{v:2,key:{a:1},name:'a_1',expireAfterSeconds:6}`, "cursor", "firstBatch", "1")
}
