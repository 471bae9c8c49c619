// Package wireconn serves compiled tests, not users: it speaks the wire protocol over one connection: OP_MSG in, OP_MSG out,
// no pool and no retry.
//
// Tests use it where a driver would be in the way: to run one command on one node, or to check out a connection from a
// pool under test. It does not compress, authenticate or start TLS. Only tools and tests import it.
package wireconn
