// Package names finds the field that a key of a document belongs to.
//
// Only bson and the packages below it import it.
package names
