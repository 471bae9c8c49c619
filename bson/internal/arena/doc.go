// Package arena hands out memory for the many small values of one document, which share allocations.
//
// Only bson and the packages below it import it.
package arena
