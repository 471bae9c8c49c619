// Package hex reads and writes hexadecimal digits, of UUIDs too, without allocating.
//
// Only bson and the packages below it import it.
package hex
