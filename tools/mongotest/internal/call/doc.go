// Package call holds one command as a server received it: its name, its database, its fields and its document
// sequences.
//
// It reads arguments and runs nothing. The packages that carry out commands (login, replica, session, failpoint,
// server) import it.
package call
