// Package query compiles a query document and tests documents against it.
//
// It has the comparison, logical, element, array, bitwise, $expr, $regex, $mod, $type, $sampleRate and $jsonSchema
// operators, and returns the errors of the server version in Options.Scope. $where needs a JavaScript engine in the
// scope, and $text needs a text index (Options.Text); without them both fail with the server's errors. Package pattern
// compiles the regular expressions.
package query
