// Package decimal parses, formats and splits Decimal128: IEEE 754-2008 decimal floating-point numbers of 128 bits in
// the binary integer encoding. It does no arithmetic.
//
// Only bson and the packages below it import it.
package decimal
