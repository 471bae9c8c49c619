// Package decide asks the generated decisions what an operation does next. It turns errors into events, counts retries, and
// computes pauses. It does no I/O, reads no clock and starts no goroutine.
//
// Packages exec and mongo import it. The tests here explore every course that an operation can take, and play the scenarios of
// specs/cases/operation.
package decide
