// Package link puts a network that misbehaves between a client and the in-memory listeners of a deployment: latency and
// jitter, stalls and partitions in one direction or both, connections that die in silence, and resets in the middle of a
// message.
//
// Every wait is on a channel or a timer, so virtual time passes. Bytes of one direction of one connection stay in order,
// as TCP keeps them; connections overtake each other.
package link
