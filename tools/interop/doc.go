// Package interop holds tests between Onion and software that others wrote: the official Go driver and pymongo against
// mongotest, and Onion's driver against FerretDB. It is a module of its own, so that none of it reaches a user's go.sum.
package interop
