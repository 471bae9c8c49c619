// Package checkout serves compiled tests, not users: it runs the cases of Connection Monitoring and Pooling: threads
// that check connections out of a pool and in again, and the events that the pool publishes meanwhile. Unit cases run
// on connections without sockets, integration cases on connections to a deployment in memory; all of them run in a
// bubble of fake time.
package checkout
