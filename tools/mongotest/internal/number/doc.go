// Package number does the arithmetic of BSON numbers: int, long, double and decimal, with the promotions of the server.
//
// Every function takes and returns bson.RawValue; the caller has checked that the operands are numbers.
package number
