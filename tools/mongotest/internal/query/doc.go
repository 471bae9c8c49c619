// Package query compiles a query document and tests documents against it.
//
// It has the comparison, logical, element, array, bitwise, $expr, $regex, $mod, $type, $sampleRate and $jsonSchema
// operators, with the refusals of the server version in Options.Scope. $where and $text are
// refused with the server's errors. Regular expressions run on Go's engine: back-references are refused, and look-around
// except at the start.
package query
