// Package reply builds the documents that a server answers with.
//
// It knows no commands. Every package of mongotest may import it.
package reply
