package server

import (
	"maps"
	"slices"

	"github.com/specdrivers/onion/tools/mongotest/internal/status"
)

// exists reports whether the servers of a deployment have the command. A nil command never exists.
func (c *command) exists(k *Cluster) bool {
	return c != nil && k.Wire >= c.since && (c.until == 0 || k.Wire < c.until) && (!c.forTests || k.isEnabled("enableTestCommands")) &&
		(!c.scripts || k.Scripts != nil) && (c.on == allNodes || (c.on == routers) == k.IsRouter())
}

// errNoSuchCommand is the error of a command that the deployment does not have.
func (k *Cluster) errNoSuchCommand(name string) error {
	e := status.UnknownCommand(name)
	if c := k.commands[name]; absent[name] && (c == nil || c.scripts && k.Scripts == nil) {
		e.Message += " (mongotest does not have it)"
	}
	return e
}

// absent are commands of a real server that mongotest lacks. They fail like unknown commands, and the text says why.
var absent = map[string]bool{
	"abortRewriteCollection": true, "analyze": true, "autoCompact": true, "cleanupOrphaned": true,
	"cleanupReshardCollection": true, "configureCollectionBalancing": true, "dbCheck": true,
	"filemd5": true, "lockInfo": true, "mapReduce": true, "mapreduce": true, "mergeAllChunksOnShard": true,
	"mergeChunks": true, "refineCollectionShardKey": true, "removeQuerySettings": true, "replSetAbortPrimaryCatchUp": true,
	"replSetStepUp": true, "rewriteCollection": true, "setIndexCommitQuorum": true, "setProfilingFilterGlobally": true,
	"setQuerySettings": true, "setUserWriteBlockMode": true, "shardingState": true, "transitionFromDedicatedConfigServer": true,
	"transitionToDedicatedConfigServer": true,
}

// Absent lists the server commands that mongotest lacks, including those that need JavaScript.
func Absent() []string { return slices.Sorted(maps.Keys(absent)) }
