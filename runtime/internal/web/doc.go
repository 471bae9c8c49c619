// Package web sends the few requests over HTTP that the driver makes: to OCSP responders and to the services that give
// out keys and tokens. Each request has a connection of its own, and the whole answer is read at once.
//
// It does without net/http. To import that package links 0.4 MB, tables of Unicode and settings of HTTP/2, and to use its
// client twice as much, into every program that connects to MongoDB. A program that wants more than this package does
// sets the option HTTPClient. The packages of the runtime that ask such services import it.
package web
