// Package simulate runs the driver and a deployment in virtual time over a network that fails, one world per seed. It
// checks what the clients saw against models. README.md says how to use it; this package only holds the tests that
// start it.
//
// The parts are below internal: scenario says what happens, link is the network, world runs a scenario, check judges
// histories, picture draws one, and mutant plants bugs to see whether the checks notice.
package simulate
