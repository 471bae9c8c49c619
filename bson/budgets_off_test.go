//go:build race || purego

package bson

// The race detector and the build without unsafe allocate more than the budgets allow.
const budgetsHold = false
