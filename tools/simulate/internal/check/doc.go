// Package check judges histories: what clients did, when, and what they saw. It knows no driver and no deployment, so
// its tests can give it histories that are wrong.
package check
