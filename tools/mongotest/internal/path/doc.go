// Package path follows dotted paths through documents and arrays, in the two ways of the server: Each yields the values
// that a query condition looks at, Keys the values that an index or a sort key is made of.
package path
