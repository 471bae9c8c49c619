// Package replica is a replica set: its members, the primary of each term, what each member has replicated, and how
// that affects write and read concerns.
//
// It knows nothing of connections and sessions. It calls Config.Lost when the primary is gone. Package
// server and the public package import it.
package replica
