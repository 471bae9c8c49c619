// Package web sends the few requests over HTTP that the driver makes: to OCSP responders and to the services that give
// out keys and tokens. It is net/http with bounds: a limit for the answer, a time limit, no redirects, and no proxy before the
// metadata service of a machine. Nothing that a program does to http.DefaultClient changes it; the option HTTPClient does.
//
// The packages of the runtime that ask such services import it.
package web
