// Package dns looks up SRV records together with their time to live. Package net does not report the time to live, but
// the polling of SRV records has to respect it.
//
// [System] is the default resolver of a client. For SRV records it asks the servers of /etc/resolv.conf itself, because
// that is the only way to get the time to live. It leaves everything else to net.DefaultResolver, and also every
// look-up that fails here. A system that resolves names without resolv.conf therefore keeps working, without a time to
// live. Package golang.org/x/net/dns/dnsmessage reads the messages. A larger library would add a server and every
// record type.
//
// The package caches nothing and validates no signatures. Package mongo imports it.
package dns
