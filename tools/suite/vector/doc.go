// Package vector runs the cases of the BSON vector format.
package vector
