package engine_test

import (
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/wire"
)

// Explain says how the plan is remembered, as far as a version does.
func TestExplainShowsThePlanning(t *testing.T) {
	for _, tt := range []struct {
		name    string
		version int32
		want    string
	}{
		{"4.2", wire.Server42, "plannerVersion namespace indexFilterSet parsedQuery queryHash planCacheKey winningPlan rejectedPlans"},
		{"5.0", wire.Server50, "namespace indexFilterSet parsedQuery queryHash planCacheKey maxIndexedOrSolutionsReached " +
			"maxIndexedAndSolutionsReached maxScansToExplodeReached winningPlan rejectedPlans"},
		{"8.0", wire.Server80, "namespace indexFilterSet parsedQuery queryHash planCacheShapeHash planCacheKey optimizationTimeMillis " +
			"maxIndexedOrSolutionsReached maxIndexedAndSolutionsReached maxScansToExplodeReached prunedSimilarIndexes winningPlan rejectedPlans"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newServer(t)
			s.wire = tt.version
			s.run(t, `{insert:'c',documents:[{_id:1}]}`)
			planner, _ := s.run(t, `{explain:{find:'c',filter:{a:1}},verbosity:'queryPlanner'}`).Lookup("queryPlanner").DocumentOK()
			names := ""
			for name := range planner.All() {
				names += name + " "
			}
			if names != tt.want+" " {
				t.Errorf("got  %s\nwant %s", names, tt.want)
			}
			if cached := planner.Lookup("winningPlan", "isCached"); cached.IsZero() == (tt.version >= wire.Server80) {
				t.Errorf("isCached is %s", cached)
			}
		})
	}
}

// Filters with one shape share a hash, whatever their constants.
func TestExplainHashesShapes(t *testing.T) {
	s := newServer(t)
	s.run(t, `{createIndexes:'c',indexes:[{key:{a:1},name:'a'}]}`)
	of := func(find, field string) bson.RawValue {
		return s.run(t, `{explain:{find:'c',`+find+`},verbosity:'queryPlanner'}`).Lookup("queryPlanner", field)
	}
	for _, tt := range []struct {
		name, one, other string
		same             bool
	}{
		{"other constants", `filter:{a:1}`, `filter:{a:'x'}`, true},
		{"other documents", `filter:{a:{b:1}}`, `filter:{a:{c:1,d:2}}`, true},
		{"other fields", `filter:{a:1}`, `filter:{b:1}`, false},
		{"other operators", `filter:{a:{$gt:1}}`, `filter:{a:{$lt:1}}`, false},
		{"an order", `filter:{a:1}`, `filter:{a:1},sort:{b:1}`, false},
		{"another branch", `filter:{$or:[{a:1},{b:1}]}`, `filter:{$or:[{a:1},{c:1}]}`, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, field := range []string{"queryHash", "planCacheKey"} {
				if one, other := of(tt.one, field), of(tt.other, field); one.Equal(other) != tt.same {
					t.Errorf("%s: %s and %s", field, one, other)
				}
			}
		})
	}
	before := of(`filter:{a:1}`, "planCacheKey")
	s.run(t, `{createIndexes:'c',indexes:[{key:{b:1},name:'b'}]}`)
	if after := of(`filter:{a:1}`, "planCacheKey"); after.Equal(before) {
		t.Error("another index leaves the key")
	}
}

// The whole plan returns what its topmost stage returns.
func TestExplainCountsWhatTheTopmostStageReturns(t *testing.T) {
	s := newServer(t)
	s.run(t, `{insert:'c',documents:[{_id:1,a:1},{_id:2,a:1},{_id:3,a:2}]}`)
	checkAnswers(t, s, []answer{
		{"find", `{explain:{find:'c',filter:{a:1}}}`, "executionStats nReturned", "2"},
		{"count", `{explain:{count:'c',query:{a:1}}}`, "executionStats nReturned", "0"},
		{"what a count counted", `{explain:{count:'c',query:{a:1}}}`, "executionStats executionStages nCounted", "2"},
		{"update", `{explain:{update:'c',updates:[{q:{a:1},u:{$set:{b:1}},multi:true}]}}`, "executionStats nReturned", "0"},
		{"what an update would modify", `{explain:{update:'c',updates:[{q:{a:1},u:{$set:{b:1}},multi:true}]}}`, "executionStats executionStages nWouldModify", "2"},
		{"delete", `{explain:{delete:'c',deletes:[{q:{a:1},limit:0}]}}`, "executionStats nReturned", "0"},
		{"what a delete would delete", `{explain:{delete:'c',deletes:[{q:{a:1},limit:0}]}}`, "executionStats executionStages nWouldDelete", "2"},
		{"findAndModify", `{explain:{findAndModify:'c',query:{_id:1},update:{$set:{b:1}}}}`, "executionStats nReturned", "1"},
		{"the memory of a sort", `{explain:{find:'c',sort:{a:1}},verbosity:'queryPlanner'}`, "queryPlanner winningPlan memLimit", "104857600"},
	})
}

func TestWildcardsOfOtherKinds(t *testing.T) {
	s := newServer(t)
	for _, kind := range []string{"hashed", "2d", "2dsphere"} {
		for _, path := range []string{"$**", "a.$**"} {
			s.wantFailure(t, `{createIndexes:'c',indexes:[{key:{'`+path+`':'`+kind+`'},name:'w'}]}`, 67, "illegal field name")
		}
	}
}
