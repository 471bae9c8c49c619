package server

import (
	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/tools/mongotest/internal/call"
	"github.com/specdrivers/onion/tools/mongotest/internal/login"
)

func aggregateNeeds(r *request) []login.Need {
	return pipelineNeeds(r, r.resource(), call.Documents(r.Field("pipeline")))
}

func mapReduceNeeds(r *request) []login.Need {
	list := needsOf(r.resource(), "find")
	out := r.Field("out")
	name, _ := out.StringOK()
	to := login.Resource{DB: r.DB, Collection: name}
	if doc, ok := out.DocumentOK(); ok {
		for _, mode := range []string{"replace", "merge", "reduce"} {
			if name, ok := doc.Lookup(mode).StringOK(); ok {
				to.Collection = name
			}
		}
		if db, ok := doc.Lookup("db").StringOK(); ok {
			to.DB = db
		}
	}
	if to.Collection != "" {
		list = append(list, needsOf(to, "insert", "remove", "update")...)
	}
	return list
}

// pipelineNeeds returns the needs of a pipeline's stages. Every pipeline reads the collection unless its first stage
// replaces it.
func pipelineNeeds(r *request, from login.Resource, pipeline []bson.Raw) []login.Need {
	var list []login.Need
	for i, stage := range pipeline {
		for name, spec := range stage.All() {
			if i == 0 {
				list = append(list, sourceNeeds(from, name, spec)...)
			}
			list = append(list, stageNeeds(r, from, name, spec)...)
		}
	}
	if len(pipeline) == 0 {
		list = needsOf(from, "find")
	}
	return list
}

// sourceNeeds returns the needs of a pipeline's first stage, which provides the documents.
func sourceNeeds(from login.Resource, stage string, spec bson.RawValue) []login.Need {
	doc, _ := spec.DocumentOK()
	flag := func(name string) bool { b, _ := doc.Lookup(name).AsBoolOK(); return b }
	cluster := login.Resource{Cluster: true}
	switch stage {
	case "$currentOp":
		if flag("allUsers") {
			return needsOf(cluster, "inprog")
		}
		return nil
	case "$listSessions", "$listLocalSessions":
		if flag("allUsers") {
			return needsOf(cluster, "listSessions")
		}
		return nil
	case "$documents":
		return nil
	case "$changeStream":
		if flag("allChangesForCluster") {
			return needsOf(login.Resource{}, "changeStream", "find")
		}
		return needsOf(from, "changeStream", "find")
	case "$collStats":
		return needsOf(from, "collStats")
	case "$indexStats":
		return needsOf(from, "indexStats")
	case "$planCacheStats":
		return needsOf(from, "planCacheRead")
	case "$listSearchIndexes":
		return needsOf(from, "listSearchIndexes")
	case "$queryStats":
		return needsOf(cluster, "queryStatsRead")
	case "$shardedDataDistribution":
		return needsOf(cluster, "getShardMap")
	case "$listClusterCatalog":
		return needsOf(login.Resource{DB: from.DB}, "listCollections")
	}
	return needsOf(from, "find")
}

// stageNeeds returns a stage's needs besides its input: the other collections that it reads or writes.
func stageNeeds(r *request, from login.Resource, stage string, spec bson.RawValue) []login.Need {
	doc, _ := spec.DocumentOK()
	switch stage {
	case "$lookup", "$graphLookup":
		return joinedNeeds(r, from, doc.Lookup("from"), doc.Lookup("pipeline"))
	case "$unionWith":
		if spec.Type != doc.Lookup("coll").Type && doc == nil {
			return joinedNeeds(r, from, spec, bson.RawValue{})
		}
		return joinedNeeds(r, from, doc.Lookup("coll"), doc.Lookup("pipeline"))
	case "$facet":
		var list []login.Need
		for _, branch := range doc.All() {
			for _, inner := range call.Documents(branch) {
				for name, v := range inner.All() {
					list = append(list, stageNeeds(r, from, name, v)...)
				}
			}
		}
		return list
	case "$out":
		to := target(from.DB, spec, doc.Lookup("coll"), doc.Lookup("db"))
		return r.addBypassNeed(to, needsOf(to, "insert", "remove"))
	case "$merge":
		into := doc.Lookup("into")
		if spec.Type != doc.Lookup("into").Type && doc == nil {
			into = spec
		}
		inner, _ := into.DocumentOK()
		to := target(from.DB, into, inner.Lookup("coll"), inner.Lookup("db"))
		return r.addBypassNeed(to, needsOf(to, mergeActions(doc)...))
	}
	return nil
}

// mergeActions returns the actions of $merge on its target.
func mergeActions(spec bson.Raw) []string {
	matched, _ := spec.Lookup("whenMatched").StringOK()
	missing, _ := spec.Lookup("whenNotMatched").StringOK()
	var list []string
	if matched != "keepExisting" && matched != "fail" {
		list = append(list, "update")
	}
	if missing != "discard" && missing != "fail" {
		list = append(list, "insert")
	}
	if list == nil {
		list = append(list, "update")
	}
	return list
}

func joinedNeeds(r *request, from login.Resource, name, pipeline bson.RawValue) []login.Need {
	inner, _ := name.DocumentOK()
	other := target(from.DB, name, inner.Lookup("coll"), inner.Lookup("db"))
	if other.Collection == "" { // the pipeline begins with $documents
		return pipelineNeeds(r, other, call.Documents(pipeline))
	}
	return append(needsOf(other, "find"), pipelineNeeds(r, other, call.Documents(pipeline))...)
}

// target returns a collection that a stage names, by name or by a document with its database.
func target(db string, name, coll, named bson.RawValue) login.Resource {
	to := login.Resource{DB: db}
	to.Collection, _ = name.StringOK()
	if s, ok := coll.StringOK(); ok {
		to.Collection = s
	}
	if s, ok := named.StringOK(); ok {
		to.DB = s
	}
	return to
}
