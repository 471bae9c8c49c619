// Package vector serves compiled tests, not users: it runs the cases of the BSON vector format.
package vector
