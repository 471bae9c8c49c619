// Package expr compiles and evaluates aggregation expressions. $expr, pipeline stages, pipeline updates and projections
// use it.
//
// It has the operators of server versions 4.2 to 8.2, each from the version that introduced it (introduced). The
// operators in absent are missing: they fail as unrecognized expressions and say that mongotest lacks them. As on the
// server, constant parts are evaluated once the expression is compiled; their errors are FoldErrors. Without a format,
// $dateFromString reads only the common formats (dateLayouts), and zones after them.
package expr
