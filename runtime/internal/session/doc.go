// Package session keeps a client's logical sessions: the free server sessions, the state of a session in use, and the
// cluster time that a client gossips.
//
// It sends nothing. Packages exec and mongo decide which commands use a session and when sessions end. They are the
// only packages that import it.
package session
