// Package interrupt stops long computations: a command whose time limit has passed, that was killed, or whose client is gone.
//
// Loops over documents and elements ask a Check. It knows nothing of commands; every package below the engine may import it.
package interrupt
