// Package seedlist serves compiled tests, not users: it runs the cases of Initial DNS Seedlist Discovery: a connection
// string is resolved with the DNS records of the case, and the hosts behind it are discovered and asked for a ping, over
// TLS, in a deployment in memory that stands for the one that the specification describes.
package seedlist
