package world

// Checks lists the checks that enough worlds must have made. A check counts if it met a case in which it could have failed: a pool at
// its largest size, an operation whose time ran out. A check that never met one proves nothing.
var Checks = []string{
	judgedDeadline, judgedTimeout, judgedErrors, judgedMaxPool, judgedMinPool, judgedConnecting, judgedIdle, judgedGeneration,
	judgedDistance, judgedElection, judgedViews, judgedNames, judgedPairs, judgedLogs, judgedGossip, judgedRetries, judgedPause,
	judgedRouter, judgedPins, judgedConnections, judgedDirty, judgedConvergence, judgedRecovery, judgedClose, judgedLeaks,
	judgedResume, judgedReady, judgedOwner, judgedMaxTime, judgedBatchEnd, judgedServices, judgedVerbose,
}

const (
	judgedDeadline    = "checked: an operation whose time ran out"
	judgedTimeout     = "checked: an operation whose timeoutMS ran out"
	judgedErrors      = "checked: an operation that failed"
	judgedMaxPool     = "checked: a pool of maxPoolSize"
	judgedMinPool     = "checked: a pool of minPoolSize"
	judgedConnecting  = "checked: a pool with maxConnecting connections on their way"
	judgedIdle        = "checked: a connection that was idle for half of maxIdleTimeMS"
	judgedGeneration  = "checked: a connection from a pool with older ones"
	judgedDistance    = "checked: the distance of a check from the one before the last"
	judgedElection    = "checked: a primary of another election"
	judgedViews       = "checked: a description that follows upon another"
	judgedNames       = "checked: a server that DNS does not name any more"
	judgedPairs       = "checked: events of a command"
	judgedLogs        = "checked: a log that goes with its events"
	judgedGossip      = "checked: a command that carries a cluster time"
	judgedRetries     = "checked: a failure that wants a retry"
	judgedPause       = "checked: a retry after an overload"
	judgedRouter      = "checked: a retry with another router to go to"
	judgedPins        = "checked: a later command of a transaction on a router"
	judgedConnections = "checked: a later command of a transaction behind a load balancer"
	judgedDirty       = "checked: a session that a network error has left dirty"
	judgedConvergence = "checked: a client that did not see the deployment as it is when peace came"
	judgedRecovery    = "checked: an operation in peace"
	judgedClose       = "checked: a client that closes in the middle of its work"
	judgedLeaks       = "checked: a world for what it leaves behind"
	judgedResume      = "checked: a change stream that goes on after its token"
	judgedOwner       = "checked: a killCursors for its server"
	judgedMaxTime     = "checked: a maxTimeMS within a deadline"
	judgedBatchEnd    = "checked: a change stream that goes on after its last batch"
	judgedServices    = "checked: a pool of several services of which none was cleared for all"
	judgedVerbose     = "checked: results of several messages of a bulk write"
	judgedReady       = "checked: a connection that a ready pool creates"
)

// judgedName returns the name under which the last check of a workload counts.
func judgedName(workload string) string { return "judged: " + workload }
