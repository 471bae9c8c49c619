// Package dns looks up SRV records together with their time to live, which package net does not tell and which the polling
// of SRV records has to honour.
//
// [System] is the default resolver of a client. It asks the servers of /etc/resolv.conf itself for SRV records, because
// only so the time to live is known, and leaves everything else, and every look-up of its own that fails, to
// net.DefaultResolver: what a system resolves by other means than resolv.conf keeps working, without a time to live.
// golang.org/x/net/dns/dnsmessage reads the messages; a larger library would bring a server and every record type along.
//
// The package caches nothing and validates no signatures. Package mongo imports it.
package dns
