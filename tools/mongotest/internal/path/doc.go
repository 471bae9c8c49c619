// Package path follows dotted paths through documents and arrays, in the server's two ways. Each yields the values that
// a query condition tests. Keys yields the values that make up an index key or a sort key.
package path
