// Package libmongocrypt holds tests between Onion's client-side encryption and libmongocrypt, as Debian ships it: version 1.7, through
// an official Go driver that links with it. Either side makes the data keys, encrypts and decrypts. The package is a module of its
// own because it needs cgo, and so that neither the library nor the old driver reaches other modules.
//
// go test skips with a message where the library is missing; otherwise it builds the actual tests, which have the build tag cse
// as in the official driver.
package libmongocrypt
