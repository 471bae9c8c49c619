package server

import (
	"slices"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/tools/mongotest/internal/reply"
)

// explainByShard shows a shard's plan in the form in which a router returns it.
func explainByShard(r *request, plan bson.Raw) bson.Raw {
	inner, ok := r.Value().DocumentOK()
	if !ok {
		return plan
	}
	first, _ := inner.Index(0)
	if first.Key == "aggregate" {
		return r.pipelineByShard(plan)
	}
	name := "SINGLE_SHARD"
	if first.Key == "update" || first.Key == "delete" {
		name = "SHARD_WRITE"
	}
	planner, _ := plan.Lookup("queryPlanner").DocumentOK()
	of := reply.New().String("shardName", shardName).String("connectionString", shardHosts)
	of.Value("explainVersion", plan.Lookup("explainVersion")).Value("serverInfo", plan.Lookup("serverInfo"))
	for key, v := range planner.All() {
		of.Value(key, v)
	}
	winning := reply.New().String("stage", name).Value("shards", bson.A{of.Done()}).Done()
	f := reply.New().Doc("queryPlanner", reply.New().Int32("mongosPlannerVersion", 1).Doc("winningPlan", winning).Done())
	if execution, ok := plan.Lookup("executionStats").DocumentOK(); ok {
		f.Doc("executionStats", executionByShard(name, execution))
	}
	return f.Value("serverInfo", plan.Lookup("serverInfo")).Value("command", plan.Lookup("command")).Done()
}

// executionByShard sums up the counts of the one shard.
func executionByShard(stage string, execution bson.Raw) bson.Raw {
	whole, stages := reply.New(), reply.New().String("stage", stage)
	shard := reply.New().String("shardName", shardName)
	for key, v := range execution.All() {
		switch key {
		case "allPlansExecution":
			continue
		case "executionStages", "executionSuccess":
		default:
			whole.Value(key, v)
			stages.Value(key, v)
		}
		shard.Value(key, v)
	}
	stages.Int64("totalChildMillis", 0).Value("shards", bson.A{shard.Done()})
	whole.Doc("executionStages", stages.Done())
	if all := execution.Lookup("allPlansExecution"); !all.IsZero() {
		whole.Value("allPlansExecution", bson.A{reply.New().String("shardName", shardName).Value("allPlans", all).Done()})
	}
	return whole.Done()
}

// aggregateByShard is for the form of explain that is an option of aggregate.
func aggregateByShard(r *request, answer bson.Raw) bson.Raw {
	if !r.Flag("explain") {
		return answer
	}
	return r.pipelineByShard(answer)
}

// pipelineByShard shows the pipeline that the one shard runs whole.
func (r *request) pipelineByShard(plan bson.Raw) bson.Raw {
	part := reply.New().String("host", firstShardMember)
	for _, key := range []string{"explainVersion", "stages", "queryPlanner", "executionStats"} {
		if v := plan.Lookup(key); !v.IsZero() {
			part.Value(key, v)
		}
	}
	dst := reply.New().Value("serverInfo", plan.Lookup("serverInfo")).Value("splitPipeline", bson.RawValue{Type: bsontype.Null}).Done()
	dst = appendPart(dst[:len(dst)-1], "shards", shardName, part.Done())
	return bson.AppendDocumentEnd(bson.AppendRawValueElement(dst, "command", plan.Lookup("command")), 0)
}

// meetsOrphans reports whether shards have to leave out documents that they do not own: the command's query, or the
// query of the command that it explains, may go to every shard.
func (r *request) meetsOrphans() bool {
	if r.cluster.catalog == nil {
		return false
	}
	explained := *r
	if r.Name == "explain" {
		inner, ok := r.Value().DocumentOK()
		if !ok {
			return false
		}
		explained.Call = r.Inner(inner, r.DB)
	} else if r.Name != "aggregate" {
		return false
	}
	collection, _ := explained.Value().StringOK()
	s := r.cluster.catalog.find(r.DB + "." + collection)
	return s != nil && slices.ContainsFunc(explained.queries(), func(query bson.Raw) bool { return s.target(query) == toAll })
}
