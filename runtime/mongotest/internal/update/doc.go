// Package update compiles and applies update documents: operators, replacements, and the array filters and positional
// paths of operators. Pipelines are the business of package agg.
package update
