// Package process is a server process as the rest of a deployment sees it: its address, whether it can be reached, the
// version of its state, and whether it lags.
//
// It does no I/O and knows no commands. Packages replica and server import it.
package process
