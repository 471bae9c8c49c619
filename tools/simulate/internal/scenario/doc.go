// Package scenario says what happens in one world: the deployment, the clients, the workers, every fault and every operation
// with its time. A seed makes one, the same one each time; a file holds one, in lines that a person can read and change.
//
// It starts nothing. Package world carries a scenario out.
package scenario
