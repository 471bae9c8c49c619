package agg_test

import (
	"strings"
	"testing"

	"github.com/specdrivers/onion/tools/mongotest/internal/agg"
	"github.com/specdrivers/onion/tools/mongotest/internal/query"
)

func TestLookup(t *testing.T) {
	const ids = `{$project:{j:'$j._id'}}`
	check(t, []outcome{
		gives("by fields, through arrays of the other side", `[{_id:1,k:'a'}]`, `[{$lookup:{from:'names',localField:'k',foreignField:'k',as:'j'}},`+ids+`]`, `[{_id:1,j:[1,5]}]`),
		gives("an array joins with each element", `[{_id:1,k:['b','c']}]`, `[{$lookup:{from:'names',localField:'k',foreignField:'k',as:'j'}},`+ids+`]`, `[{_id:1,j:[2,5]}]`),
		gives("missing joins with null and missing", `[{_id:1}]`, `[{$lookup:{from:'names',localField:'k',foreignField:'k',as:'j'}},`+ids+`]`, `[{_id:1,j:[3,4]}]`),
		gives("an empty array joins as missing does", `[{_id:1,k:[]}]`, `[{$lookup:{from:'names',localField:'k',foreignField:'k',as:'j'}},`+ids+`]`, `[{_id:1,j:[3,4]}]`),
		gives("a path through documents in an array", `[{_id:1,d:[{k:'a'},{k:'b'},5]}]`, `[{$lookup:{from:'names',localField:'d.k',foreignField:'k',as:'j'}},`+ids+`]`, `[{_id:1,j:[1,2,5]}]`),
		gives("a position in an array", `[{_id:1,d:['b','a']}]`, `[{$lookup:{from:'names',localField:'d.0',foreignField:'k',as:'j'}},`+ids+`]`, `[{_id:1,j:[2]}]`),
		gives("no collection", `[{_id:1}]`, `[{$lookup:{from:'nowhere',localField:'k',foreignField:'k',as:'j'}}]`, `[{_id:1,j:[]}]`),
		gives("as within a document", `[{_id:1,x:{y:0},k:'b'}]`, `[{$lookup:{from:'names',localField:'k',foreignField:'k',as:'x.j'}},{$project:{'x.y':1,'x.j._id':1}}]`, `[{_id:1,x:{y:0,j:[{_id:2}]}}]`),
		gives("a pipeline with let", `[{_id:1,m:20},{_id:2,m:40}]`, `[{$lookup:{from:'names',let:{m:'$m'},pipeline:[{$match:{$expr:{$eq:['$v','$$m']}}},{$set:{m:'$$m'}}],as:'j'}},{$project:{j:{$arrayElemAt:['$j.m',0]}}}]`, `[{_id:1,j:20},{_id:2,j:40}]`),
		gives("a variable that is missing", `[{_id:1}]`, `[{$lookup:{from:'names',let:{m:'$m'},pipeline:[{$limit:1},{$project:{_id:0,t:{$type:'$$m'}}}],as:'j'}}]`, `[{_id:1,j:[{t:'missing'}]}]`),
		gives("a variable is no constant when the pipeline is compiled", `[{_id:1,l:[1,2]}]`, `[{$lookup:{from:'names',let:{l:'$l'},pipeline:[{$limit:1},{$project:{_id:0,n:{$size:'$$l'}}}],as:'j'}},{$unset:'l'}]`, `[{_id:1,j:[{n:2}]}]`),
		gives("a lookup in a lookup", `[{_id:1,m:20}]`, `[{$lookup:{from:'names',let:{m:'$m'},pipeline:[{$match:{_id:1}},{$lookup:{from:'names',let:{n:'$v'},pipeline:[{$match:{$expr:{$eq:['$v',{$add:['$$n','$$n']}]}}},{$project:{s:{$add:['$$m','$$n']}}}],as:'i'}},{$project:{_id:0,i:1}}],as:'j'}}]`,
			`[{_id:1,m:20,j:[{i:[{_id:2,s:30}]}]}]`),
		gives("without a relation", `[{_id:1},{_id:2}]`, `[{$lookup:{from:'names',pipeline:[{$match:{_id:2}},{$project:{v:1}}],as:'j'}}]`, `[{_id:1,j:[{_id:2,v:20}]},{_id:2,j:[{_id:2,v:20}]}]`),
		gives("fields and a pipeline", `[{_id:1,k:'a'}]`, `[{$lookup:{from:'names',localField:'k',foreignField:'k',pipeline:[{$match:{v:{$gt:10}}}],as:'j'}},`+ids+`]`, `[{_id:1,j:[5]}]`),
		gives("documents of its own", `[{_id:1}]`, `[{$lookup:{pipeline:[{$documents:[{x:1}]}],as:'j'}}]`, `[{_id:1,j:[{x:1}]}]`),
		gives("fields and documents of its own", `[{_id:1,k:2}]`, `[{$lookup:{localField:'k',foreignField:'x',pipeline:[{$documents:[{x:1},{x:2}]},{$set:{y:1}}],as:'j'}}]`, `[{_id:1,k:2,j:[{x:2,y:1}]}]`),
		refuses("fields and a pipeline on 4.4", `[{$lookup:{from:'names',localField:'k',foreignField:'k',pipeline:[],as:'j'}}]`, 9, "may not specify 'localField' or 'foreignField'").on(9),
		refuses("a number", `[{$lookup:1}]`, 9, "must be an object, but found int"),
		refuses("more", `[{$lookup:{from:'names',x:'y',as:'j'}}]`, 9, "unknown argument to $lookup: x"),
		refuses("a field that is a number", `[{$lookup:{from:'names',localField:1,foreignField:'k',as:'j'}}]`, 9, "must be a string, found localField: 1: int"),
		refuses("a pipeline that is a number", `[{$lookup:{from:'names',pipeline:1,as:'j'}}]`, 14, "'pipeline' option must be specified as an array"),
		refuses("let that is a number", `[{$lookup:{from:'names',let:1,pipeline:[],as:'j'}}]`, 9, "must be an object, is type int"),
		refuses("a variable in capitals", `[{$lookup:{from:'names',let:{A:1},pipeline:[],as:'j'}}]`, 9, "starts with an invalid character"),
		refuses("let without a pipeline", `[{$lookup:{from:'names',let:{},localField:'k',foreignField:'k',as:'j'}}]`, 9, "must also specify 'pipeline'"),
		refuses("no as", `[{$lookup:{from:'names',localField:'k',foreignField:'k'}}]`, 9, "must specify 'as' field for a $lookup"),
		refuses("as with a dollar", `[{$lookup:{from:'names',localField:'k',foreignField:'k',as:'$j'}}]`, 16410, ""),
		refuses("one field", `[{$lookup:{from:'names',localField:'k',as:'j'}}]`, 9, "requires either 'pipeline' or both"),
		refuses("one field and a pipeline", `[{$lookup:{from:'names',localField:'k',pipeline:[],as:'j'}}]`, 9, "requires both or neither"),
		refuses("no from", `[{$lookup:{localField:'k',foreignField:'k',as:'j'}}]`, 9, "must specify 'pipeline' when 'from' is empty"),
		refuses("no from and no documents", `[{$lookup:{pipeline:[{$match:{}}],as:'j'}}]`, 9, "must have a pipeline with $documents as first stage"),
		refuses("no from on 5.0", `[{$lookup:{pipeline:[],as:'j'}}]`, 9, "missing 'from' option to $lookup stage specification").on(13),
		refuses("an unknown stage within", `[{$lookup:{from:'names',pipeline:[{$foo:1}],as:'j'}}]`, 40324, ""),
	})
}

func TestUnionWith(t *testing.T) {
	check(t, []outcome{
		gives("a collection", `[{_id:0}]`, `[{$unionWith:'names'},{$project:{_id:1}}]`, `[{_id:0},{_id:1},{_id:2},{_id:3},{_id:4},{_id:5}]`),
		gives("a pipeline", `[{_id:0}]`, `[{$unionWith:{coll:'names',pipeline:[{$match:{_id:2}},{$project:{_id:1}}]}}]`, `[{_id:0},{_id:2}]`),
		gives("documents", `[{_id:0}]`, `[{$unionWith:{pipeline:[{$documents:[{x:1}]}]}}]`, `[{_id:0},{x:1}]`),
		refuses("a number", `[{$unionWith:1}]`, 9, "must be an object or string, but found int"),
		refuses("more", `[{$unionWith:{coll:'names',x:1}}]`, 40415, "BSON field '$unionWith.x' is an unknown field."),
		refuses("a name that is a number", `[{$unionWith:{coll:1}}]`, 14, "BSON field '$unionWith.coll' is the wrong type 'int', expected type 'string'"),
		refuses("nothing", `[{$unionWith:{}}]`, 9, "must have a pipeline with $documents as first stage"),
	})
}

func TestGraphLookup(t *testing.T) {
	const options = `from:'graph',startWith:'$s',connectFromField:'to',connectToField:'_id',as:'r'`
	check(t, []outcome{
		gives("everything that can be reached", `[{s:'a'}]`, `[{$graphLookup:{`+options+`,depthField:'d'}},{$project:{r:{$map:{input:'$r',in:['$$this._id','$$this.d']}}}}]`,
			`[{r:[['a',{$numberLong:'0'}],['b',{$numberLong:'1'}],['c',{$numberLong:'1'}],['d',{$numberLong:'2'}]]}]`),
		gives("not too far", `[{s:'a'}]`, `[{$graphLookup:{`+options+`,maxDepth:1}},{$project:{r:'$r._id'}}]`, `[{r:['a','b','c']}]`),
		gives("only some", `[{s:'a'}]`, `[{$graphLookup:{`+options+`,restrictSearchWithMatch:{_id:{$ne:'b'}}}},{$project:{r:'$r._id'}}]`, `[{r:['a','c','d']}]`),
		gives("from several", `[{s:['b','e']}]`, `[{$graphLookup:{`+options+`,maxDepth:0}},{$project:{r:'$r._id'}}]`, `[{r:['b','e']}]`),
		gives("from missing", `[{}]`, `[{$graphLookup:{`+options+`}}]`, `[{r:[]}]`),
		refuses("a depth that is a text", `[{$graphLookup:{`+options+`,maxDepth:'x'}}]`, 40100, ""),
		refuses("a depth below zero", `[{$graphLookup:{`+options+`,maxDepth:-1}}]`, 40101, ""),
		refuses("half a depth", `[{$graphLookup:{`+options+`,maxDepth:0.5}}]`, 40102, ""),
		refuses("a collection that is a number", `[{$graphLookup:{from:1,startWith:1,connectFromField:'a',connectToField:'b',as:'c'}}]`, 9, "must be a string"),
		refuses("a collection without a name", `[{$graphLookup:{from:'',startWith:1,connectFromField:'a',connectToField:'b',as:'c'}}]`, 73, "Invalid namespace"),
		refuses("a name that is a number", `[{$graphLookup:{`+options+`,depthField:1}}]`, 40103, ""),
		refuses("more", `[{$graphLookup:{`+options+`,x:1}}]`, 40104, ""),
		refuses("too little", `[{$graphLookup:{from:'graph'}}]`, 40105, ""),
		refuses("a restriction that is a number", `[{$graphLookup:{`+options+`,restrictSearchWithMatch:1}}]`, 40185, ""),
	})
}

func TestOutputOptions(t *testing.T) {
	const combined = `whenMatched:'keepExisting',whenNotMatched:`
	check(t, []outcome{
		refuses("$out of a number", `[{$out:1}]`, 16990, ""),
		refuses("$out of a document on 4.2", `[{$out:{db:'x',coll:'y'}}]`, 16990, "").on(8),
		refuses("$out without a name", `[{$out:''}]`, 73, ""),
		refuses("$out without coll", `[{$out:{db:'x'}}]`, 40414, "BSON field '$out.coll' is missing but a required field"),
		refuses("$out with more", `[{$out:{db:'x',coll:'y',z:1}}]`, 40415, ""),
		refuses("$out to a number", `[{$out:{db:'x',coll:1}}]`, 14, ""),
		refuses("$out to what is the server's", `[{$out:'system.views'}]`, 17385, "Can't $out to special collection: system.views"),
		refuses("$out to admin", `[{$out:{db:'admin',coll:'x'}}]`, 31321, "Can't $out to internal database: admin"),
		refuses("$merge of a number", `[{$merge:1}]`, 14, "$merge requires a string or object argument, but found int"),
		refuses("$merge without into", `[{$merge:{on:'a'}}]`, 40414, "BSON field '$merge.into' is missing but a required field"),
		refuses("$merge with more", `[{$merge:{into:'x',y:1}}]`, 40415, ""),
		refuses("$merge into a number", `[{$merge:{into:1}}]`, 51178, ""),
		refuses("$merge into what is the server's", `[{$merge:'system.views'}]`, 31319, ""),
		refuses("$merge into admin", `[{$merge:{into:{db:'admin',coll:'x'}}}]`, 31320, ""),
		refuses("$merge on a number", `[{$merge:{into:'x',on:1}}]`, 51186, ""),
		refuses("$merge on numbers", `[{$merge:{into:'x',on:[1]}}]`, 51134, ""),
		refuses("$merge on nothing", `[{$merge:{into:'x',on:[]}}]`, 51187, ""),
		refuses("$merge on a field twice", `[{$merge:{into:'x',on:['a','a']}}]`, 31465, "Found a duplicate field 'a'"),
		refuses("$merge on a wrong path", `[{$merge:{into:'x',on:'a.'}}]`, 40353, ""),
		refuses("whenMatched that is a number", `[{$merge:{into:'x',whenMatched:1}}]`, 51191, ""),
		refuses("whenMatched that is unknown", `[{$merge:{into:'x',whenMatched:'pipeline'}}]`, 2, "Enumeration value 'pipeline' for field 'whenMatched' is not a valid value."),
		refuses("whenNotMatched that is a number", `[{$merge:{into:'x',whenNotMatched:1}}]`, 14, ""),
		refuses("whenNotMatched that is unknown", `[{$merge:{into:'x',whenNotMatched:'x'}}]`, 2, "Enumeration value 'x' for field '$merge.whenNotMatched'"),
		refuses("a combination that does nothing", `[{$merge:{into:'x',`+combined+`'discard'}}]`, 51181, "Combination of $merge modes 'whenMatched: keepExisting' and 'whenNotMatched: discard' is not supported"),
		refuses("a combination that only fails", `[{$merge:{into:'x',whenMatched:'fail',whenNotMatched:'fail'}}]`, 51181, ""),
		refuses("let without a pipeline", `[{$merge:{into:'x',let:{a:1}}}]`, 51199, "Cannot use 'let' variables with 'whenMatched: merge' mode"),
		refuses("let that is a number", `[{$merge:{into:'x',whenMatched:[],let:1}}]`, 14, ""),
		refuses("another new", `[{$merge:{into:'x',whenMatched:[],let:{new:'$a'}}}]`, 51273, "reserved 'new' variable"),
	})
}

// recordingAccess records the conditions that a $lookup looks for.
type recordingAccess struct {
	collections
	conditions *[]string
}

func (a recordingAccess) Find(db, name string, f *query.Filter) (agg.Source, error) {
	for _, c := range append(f.Constraints(), f.Comparisons()...) {
		*a.conditions = append(*a.conditions, c.Path+" "+c.Op+" "+c.Values[0].String())
	}
	return a.collections.Find(db, name, f)
}

// The $match at the start of a $lookup's pipeline can use an index, with the values of each document.
func TestLookupLooksFor(t *testing.T) {
	var conditions []string
	in := documents(parse(t, `[{_id:1,x:5},{_id:2,x:7}]`))
	access := recordingAccess{collections{"other": documents(parse(t, `[{_id:5,n:'five'},{_id:7,n:'seven'}]`))}, &conditions}
	stages := parse(t, `[{$lookup:{from:'other',let:{x:'$x'},pipeline:[{$match:{$expr:{$eq:['$_id','$$x']},n:{$gt:'a'}}},{$project:{n:1,_id:0}}],as:'o'}}]`)
	p, err := agg.Compile(stages, agg.Options{DB: "db", Access: access})
	if err != nil {
		t.Fatal(err)
	}
	out, err := agg.Drain(p.Run(agg.List(in)))
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{`[{"n":"five"}]`, `[{"n":"seven"}]`} {
		if got := out[i].Lookup("o").String(); got != want {
			t.Errorf("document %d: got %s, want %s", i, got, want)
		}
	}
	if got, want := strings.Join(conditions, ", "), `n $gt "a", _id $eq 5, n $gt "a", _id $eq 7`; got != want {
		t.Errorf("looked for %s, want %s", got, want)
	}
}
