// Package expr compiles and evaluates aggregation expressions: $expr, the stages of a pipeline, pipeline updates and
// projections use it.
//
// It has the arithmetic, comparison, boolean, conditional, string, array, object, set, type-conversion, date and variable
// operators, and the accumulators as expressions over an array. It has no trigonometry, no regular-expression operators
// beyond $regexMatch, $regexFind and $regexFindAll, and no JavaScript: those fail as unrecognized expressions.
package expr
