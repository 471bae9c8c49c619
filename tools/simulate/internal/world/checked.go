package world

// Checks lists what enough worlds must have judged. A check counts when it had a case in which it could have failed: a pool that
// was as large as it may be, an operation whose time ran out. A check that never had one proves nothing.
var Checks = []string{
	ofDeadline, ofTimeout, ofErrors, ofMaxPool, ofMinPool, ofConnecting, ofIdle, ofGeneration, ofDistance, ofElection, ofViews, ofNames,
	ofPairs, ofLogs, ofGossip, ofRetries, ofPause, ofRouter, ofPins, ofConnections, ofDirty, ofConvergence, ofRecovery, ofClose, ofLeaks,
	ofResume, ofReady, ofOwner, ofMaxTime, ofBatchEnd, ofServices, ofVerbose,
}

const (
	ofDeadline    = "checked: an operation whose time ran out"
	ofTimeout     = "checked: an operation whose timeoutMS ran out"
	ofErrors      = "checked: an operation that failed"
	ofMaxPool     = "checked: a pool of maxPoolSize"
	ofMinPool     = "checked: a pool of minPoolSize"
	ofConnecting  = "checked: a pool with maxConnecting connections on their way"
	ofIdle        = "checked: a connection that was idle for half of maxIdleTimeMS"
	ofGeneration  = "checked: a connection from a pool with older ones"
	ofDistance    = "checked: the distance of a check from the one before the last"
	ofElection    = "checked: a primary of another election"
	ofViews       = "checked: a description that follows upon another"
	ofNames       = "checked: a server that DNS does not name any more"
	ofPairs       = "checked: events of a command"
	ofLogs        = "checked: a log that goes with its events"
	ofGossip      = "checked: a command that carries a cluster time"
	ofRetries     = "checked: a failure that wants a retry"
	ofPause       = "checked: a retry after an overload"
	ofRouter      = "checked: a retry with another router to go to"
	ofPins        = "checked: a later command of a transaction on a router"
	ofConnections = "checked: a later command of a transaction behind a load balancer"
	ofDirty       = "checked: a session that a network error has left dirty"
	ofConvergence = "checked: a client that did not see the deployment as it is when peace came"
	ofRecovery    = "checked: an operation in peace"
	ofClose       = "checked: a client that closes in the middle of its work"
	ofLeaks       = "checked: a world for what it leaves behind"
	ofResume      = "checked: a change stream that goes on after its token"
	ofOwner       = "checked: a killCursors for its server"
	ofMaxTime     = "checked: a maxTimeMS within a deadline"
	ofBatchEnd    = "checked: a change stream that goes on after its last batch"
	ofServices    = "checked: a pool of several services of which none was cleared for all"
	ofVerbose     = "checked: results of several messages of a bulk write"
	ofReady       = "checked: a connection that a ready pool creates"
)

// judgedName returns the name under which the last check of a workload counts.
func judgedName(workload string) string { return "judged: " + workload }
