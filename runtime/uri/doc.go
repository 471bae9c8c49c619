// Package uri reads MongoDB connection strings: the schemes mongodb and mongodb+srv, the hosts, the credentials and the
// options, and the DNS records behind a mongodb+srv string.
//
// [Parse] does no I/O. [Resolve] asks DNS through the resolver that it is given. What the options are, what they accept
// and how they conflict is generated; see generated/core/uri. Anything may import this package.
package uri
