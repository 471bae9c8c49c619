// Package world carries a scenario out: it starts the deployment and the clients in a synctest bubble, has workers do their
// operations while faults happen, restores peace, and checks.
//
// A workload is what workers do together, with the check of what they saw (one file each, after the workload's name). An
// observer hears every event of one client and checks what must hold at all times. What is wrong becomes a violation; a world
// goes on after one.
package world
