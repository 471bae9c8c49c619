// Package session keeps the logical sessions of a client: the server sessions that are free to use, what a session in use
// remembers, and the cluster time that a client gossips.
//
// It sends nothing: which commands carry a session, and when sessions are ended, is decided by the exec and mongo packages,
// the only ones that import it.
package session
