// Package web sends the few requests over HTTP that the driver makes: to OCSP responders and to the services that give
// out keys and tokens. Each request has a connection of its own, and the whole answer is read at once.
//
// It stands in for http.Client, which would put its pools, its server and HTTP/2 into every program that connects to
// MongoDB. A program that wants more sets the option HTTPClient. The packages of the runtime that ask such services
// import it.
package web
