// Package uri reads MongoDB connection strings: the schemes mongodb and mongodb+srv, the hosts, the credentials and the
// options, and the DNS records behind a mongodb+srv string.
//
// [Parse] does no I/O. [Resolve] queries DNS through the given resolver. The options, the values that they accept and
// their conflicts are generated; see generated/core/uritable. Any package may import this one.
package uri
