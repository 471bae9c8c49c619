// Commands of the server that mongotest does not have.

package mongotest

import (
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
)

// absent fail as unknown commands do, and say that a real server would have known them.
var absent = map[string]bool{
	"analyze": true, "analyzeShardKey": true, "autoCompact": true, "balancerStart": true, "balancerStatus": true,
	"balancerStop": true, "cloneCollectionAsCapped": true, "compact": true, "convertToCapped": true, "createRole": true,
	"dataSize": true, "dbHash": true, "dropAllRolesFromDatabase": true, "dropAllUsersFromDatabase": true, "dropRole": true,
	"filemd5": true, "fsync": true, "fsyncUnlock": true, "getClusterParameter": true, "getCmdLineOpts": true,
	"getDefaultRWConcern": true, "getShardMap": true, "grantPrivilegesToRole": true, "grantRolesToRole": true,
	"grantRolesToUser": true, "hostInfo": true, "invalidateUserCache": true, "killAllSessionsByPattern": true,
	"listCommands": true, "lockInfo": true, "logRotate": true, "mapReduce": true, "mapreduce": true, "moveChunk": true,
	"planCacheClear": true, "planCacheClearFilters": true, "planCacheListFilters": true, "planCacheSetFilter": true,
	"profile": true, "reIndex": true, "replSetInitiate": true, "replSetMaintenance": true, "replSetReconfig": true,
	"replSetResizeOplog": true, "replSetSyncFrom": true, "reshardCollection": true, "revokePrivilegesFromRole": true,
	"revokeRolesFromRole": true, "revokeRolesFromUser": true, "rolesInfo": true, "rotateCertificates": true,
	"setClusterParameter": true, "setDefaultRWConcern": true, "setFeatureCompatibilityVersion": true,
	"setIndexCommitQuorum": true, "setParameter": true, "setQuerySettings": true, "shutdown": true, "split": true, "top": true,
	"updateRole": true, "validate": true,
}

func noSuchCommand(name string) error {
	note := ""
	if _, known := commandTable()[name]; !known && absent[name] {
		note = " (mongotest does not have it)"
	}
	return status.Errorf(errcode.CommandNotFound, "no such command: '%s'%s", name, note)
}
