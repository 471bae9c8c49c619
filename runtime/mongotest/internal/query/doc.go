// Package query compiles a query document and tests documents against it.
//
// It has the comparison, logical, element, array, bitwise, $expr, $regex, $mod, $type and $jsonSchema operators. $where,
// $text and the geospatial operators are refused with the server's errors. Regular expressions run on Go's engine:
// look-around and back-references are refused.
package query
