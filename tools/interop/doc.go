// Package interop holds tests between Onion and software that others wrote: the official Go driver, pymongo and libmongoc against
// mongotest, Onion's driver against FerretDB, and mongotest against FerretDB. README.md says what is run against what, and where
// FerretDB differs. It is a module of its own, so none of it reaches a user's go.sum.
package interop
