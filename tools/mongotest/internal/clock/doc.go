// Package clock is the logical clock that the nodes of a deployment share: the cluster time that they gossip, and the
// last write that a majority has acknowledged.
//
// It knows neither members nor commands. Packages replica, session and server import it.
package clock
