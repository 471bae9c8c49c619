// Package decide asks the generated decisions what comes next for an operation, a change stream and withTransaction. It
// turns errors and times into events, counts retries, and computes pauses. It does no I/O, reads no clock and starts no
// goroutine.
//
// Packages exec and mongo import it. Its tests explore every course that the state machines can take, and play the
// scenarios below specs/cases.
package decide
