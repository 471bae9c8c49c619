// Package expr compiles and evaluates aggregation expressions: $expr, the stages of a pipeline, pipeline updates and
// projections use it.
//
// It has the operators of the servers from 4.2 to 8.2, each from the version on that introduced it (introduced), except
// those in absent, which fail as unrecognized expressions and say that mongotest lacks them. A part that depends on nothing
// is computed when the expression is compiled, as the server does: its error is a FoldError. Trigonometric functions of
// decimals have the digits of a double, $dateFromString reads the usual formats alone (dateLayouts), and $convert knows no
// binary data.
package expr
