package engine_test

import (
	"testing"

	"github.com/specdrivers/onion/tools/mongotest/internal/status"
)

// seedMerge makes the target o, with a unique index on k, and the source c.
func seedMerge(t *testing.T) *server {
	s := newServer(t)
	s.run(t, `{insert:'c',documents:[{_id:1,k:'a',n:1},{_id:2,k:'b',n:2},{_id:9,k:'z',n:9}]}`)
	s.run(t, `{insert:'o',documents:[{_id:1,k:'a',old:true},{_id:2,k:'b',old:true}]}`)
	s.run(t, `{createIndexes:'o',indexes:[{key:{k:1},name:'k',unique:true},{key:{p:1},name:'p',unique:true,partialFilterExpression:{p:{$gt:0}}}]}`)
	return s
}

func TestMergeModes(t *testing.T) {
	const all = `{find:'o',sort:{_id:1}}`
	tests := []struct{ name, stages, want string }{
		{"merge and insert", `{$merge:'o'}`, `[{_id:1,k:'a',old:true,n:1},{_id:2,k:'b',old:true,n:2},{_id:9,k:'z',n:9}]`},
		{"replace", `{$merge:{into:'o',whenMatched:'replace'}}`, `[{_id:1,k:'a',n:1},{_id:2,k:'b',n:2},{_id:9,k:'z',n:9}]`},
		{"keepExisting", `{$merge:{into:'o',whenMatched:'keepExisting'}}`, `[{_id:1,k:'a',old:true},{_id:2,k:'b',old:true},{_id:9,k:'z',n:9}]`},
		{"discard", `{$merge:{into:'o',whenNotMatched:'discard'}}`, `[{_id:1,k:'a',old:true,n:1},{_id:2,k:'b',old:true,n:2}]`},
		{"pipeline", `{$merge:{into:'o',whenMatched:[{$set:{n:'$$new.n'}}]}}`, `[{_id:1,k:'a',old:true,n:1},{_id:2,k:'b',old:true,n:2},{_id:9,k:'z',n:9}]`},
		{"pipeline with let", `{$merge:{into:'o',let:{x:{$multiply:['$n',10]}},whenMatched:[{$set:{n:'$$x',m:'$$new.n'}}]}}`, `[{_id:1,k:'a',old:true,n:10,m:1},{_id:2,k:'b',old:true,n:20,m:2},{_id:9,k:'z',n:9}]`},
		{"on another field", `{$unset:'_id'},{$match:{n:{$lt:5}}},{$merge:{into:'o',on:'k'}}`, `[{_id:1,k:'a',old:true,n:1},{_id:2,k:'b',old:true,n:2}]`},
		{"replace on another field keeps the _id", `{$unset:'_id'},{$match:{n:{$lt:5}}},{$merge:{into:'o',on:'k',whenMatched:'replace'}}`, `[{_id:1,k:'a',n:1},{_id:2,k:'b',n:2}]`},
		{"into another database", `{$match:{_id:9}},{$merge:{into:{db:'other',coll:'o'}}}`, `[{_id:1,k:'a',old:true},{_id:2,k:'b',old:true}]`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := seedMerge(t)
			s.wantFound(t, `{aggregate:'c',cursor:{},pipeline:[`+tt.stages+`]}`, `[]`)
			s.wantFound(t, all, tt.want)
		})
	}
}

func TestMergeRefusals(t *testing.T) {
	tests := []struct {
		name, stages string
		code         int32
		text         string
	}{
		{"on a field without an index", `{$merge:{into:'o',on:'n'}}`, 51183, "Cannot find index to verify that join fields will be unique"},
		{"on a field with a partial index", `{$merge:{into:'o',on:'p'}}`, 51183, ""},
		{"on a field of a collection that does not exist", `{$merge:{into:'new',on:'k'}}`, 51183, ""},
		{"a match that fails", `{$merge:{into:'o',whenMatched:'fail'}}`, 11000, ""},
		{"no match that fails", `{$merge:{into:'o',whenNotMatched:'fail'}}`, 13113, "could not find a matching document in the target collection"},
		{"on a field that is missing", `{$unset:'k'},{$merge:{into:'o',on:'k'}}`, 51132, "'on' field 'k' cannot be missing, null, undefined or an array"},
		{"on a field that is an array", `{$set:{k:['a']}},{$merge:{into:'o',on:'k'}}`, 51185, "'on' field 'k' is an array"},
		{"another _id", `{$set:{_id:77}},{$match:{k:'a'}},{$merge:{into:'o',on:'k'}}`, 66, "did you attempt to modify the _id or the shard key?"},
		{"a pipeline with a stage that updates do not have", `{$merge:{into:'o',whenMatched:[{$match:{}}]}}`, 72, "$match is not allowed to be used within an update"},
		{"a pipeline without new", `{$merge:{into:'o',let:{x:1},whenMatched:[{$set:{y:'$$new.n'}}],whenNotMatched:'discard'}}`, 17276, "Use of undefined variable: new"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := seedMerge(t)
			s.wantFailure(t, `{aggregate:'c',cursor:{},pipeline:[`+tt.stages+`]}`, tt.code, tt.text)
		})
	}
}

func TestOutReplacesAtomically(t *testing.T) {
	s := seedMerge(t)
	s.wantFailure(t, `{aggregate:'c',cursor:{},pipeline:[{$set:{k:'same'}},{$out:'o'}]}`, 11000, "E11000 duplicate key error")
	s.wantFound(t, `{find:'o',sort:{_id:1}}`, `[{_id:1,k:'a',old:true},{_id:2,k:'b',old:true}]`)
	s.wantFound(t, `{aggregate:'c',cursor:{},pipeline:[{$match:{_id:9}},{$out:{db:'db',coll:'o'}}]}`, `[]`)
	s.wantFound(t, `{find:'o'}`, `[{_id:9,k:'z',n:9}]`)
	s.wantWriteFailure(t, `{insert:'o',documents:[{k:'z'}]}`, 11000, "") // the index has stayed
}

func TestPipelinesThatNeedNoCollection(t *testing.T) {
	s := newServer(t)
	s.wantFound(t, `{aggregate:1,cursor:{},pipeline:[{$documents:[{a:1}]}]}`, `[{a:1}]`)
	s.wantFailure(t, `{aggregate:1,cursor:{},pipeline:[]}`, 73, "{aggregate: 1} is not valid for an empty pipeline.")
	s.wantFailure(t, `{aggregate:1,cursor:{},pipeline:[{$match:{}}]}`, 73, "{aggregate: 1} is not valid for '$match'; a collection is required.")
	s.wantFailure(t, `{aggregate:1,cursor:{},pipeline:[{$collStats:{count:{}}}]}`, 73, "")
	s.wantFailure(t, `{aggregate:'c',cursor:{},pipeline:[{$documents:[]}]}`, 73, "'$documents' can only be run with {aggregate: 1}")
	s.wantFailure(t, `{aggregate:'c',cursor:{},pipeline:[{$listLocalSessions:{}}]}`, 73, "must be run against the database with {aggregate: 1}, not a collection")
}

// From the text a driver can tell whether the pipeline is wrong or failed on a document.
func TestErrorsOfPipelinesSayWhenTheyHappened(t *testing.T) {
	s := newServer(t)
	s.run(t, `{insert:'c',documents:[{_id:1,a:0}]}`)
	const atWork = `{aggregate:'c',cursor:{},pipeline:[{$project:{x:{$divide:[1,'$a']}}}]}`
	s.wantFailure(t, atWork, 2, "Executor error during aggregate command on namespace: db.c :: caused by :: can't $divide by zero")
	s.wantFailure(t, `{aggregate:'c',cursor:{},pipeline:[{$project:{x:{$divide:[1,0]}}}]}`, 2, "Failed to optimize pipeline :: caused by :: can't $divide by zero")
	s.wantFailure(t, `{aggregate:'c',cursor:{},pipeline:[{$project:{x:{$foo:1}}}]}`, 31325, "Invalid $project :: caused by :: Unknown expression $foo")
	s.wantFailure(t, `{aggregate:'c',cursor:{},pipeline:[{$set:{x:{$foo:1}}}]}`, 168, "Invalid $set :: caused by :: Unrecognized expression '$foo'")
	s.wire = 13
	s.wantFailure(t, atWork, 16608, "PlanExecutor error during aggregation :: caused by :: can't $divide by zero")
}

func TestMergeTellsTheKeyOfAMatch(t *testing.T) {
	s := newServer(t)
	s.run(t, `{insert:'c',documents:[{_id:1,a:1}]}`)
	_, err := s.try(t, `{aggregate:'c',pipeline:[{$merge:{into:'c',whenMatched:'fail'}}],cursor:{}}`)
	if e := status.From(err); err == nil || e.Info.String() != `{"keyPattern":{"_id":1},"keyValue":{"_id":1}}` {
		t.Errorf("%v", err)
	}
}

func TestMergeWritesWhatItCan(t *testing.T) {
	const all = `{find:'o',projection:{_id:1,n:1},sort:{_id:1}}`
	s := seedMerge(t)
	s.wantFailure(t, `{aggregate:'c',cursor:{},pipeline:[{$merge:{into:'o',whenMatched:'fail'}}]}`, 11000, "")
	s.wantFound(t, all, `[{_id:1},{_id:2},{_id:9,n:9}]`)
	s = seedMerge(t)
	s.wantFailure(t, `{aggregate:'c',cursor:{},pipeline:[{$merge:{into:'o',whenNotMatched:'fail'}}]}`, 13113, "")
	s.wantFound(t, all, `[{_id:1,n:1},{_id:2,n:2}]`)
	s = seedMerge(t)
	s.wantFailure(t, `{aggregate:'c',cursor:{},pipeline:[{$set:{k:{$cond:[{$eq:['$_id',9]},['z'],'$k']}}},{$merge:{into:'o',on:'k'}}]}`, 51185, "")
	s.wantFound(t, all, `[{_id:1},{_id:2}]`) // nothing is written before every key is known
}

func TestMistakesOfStatisticsStages(t *testing.T) {
	stage := func(s string) string { return `{aggregate:'c',pipeline:[{` + s + `}],cursor:{}}` }
	check(t, []mistake{
		{"arguments of $indexStats", stage(`$indexStats:{a:1}`), 28803, "empty object", 0},
		{"a number for $indexStats", stage(`$indexStats:5`), 28803, "empty object", 0},
		{"a number for $collStats", stage(`$collStats:5`), 5447000, "nested object", 0},
		{"a count that is a number", stage(`$collStats:{count:5}`), 14, "$collStats.count", 0},
		{"an unknown statistic", stage(`$collStats:{x:{}}`), 40415, "$collStats.x", 0},
		{"arguments of queryExecStats", stage(`$collStats:{queryExecStats:{a:1}}`), 31170, "empty object", 0},
		{"a find with a sort key twice", `{find:'c',sort:{a:1,a:-1}}`, 7472500, "duplicate", 0},
	})
}
