// Package replica is a replica set: its members, who is primary in which term, what each member has replicated, and what
// that means for write and read concerns.
//
// It knows nothing of connections and sessions. A call to Config.Lost tells the owner that the primary is gone. Package
// server and the public package import it.
package replica
