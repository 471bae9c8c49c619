// Package update compiles and applies update documents: operators, replacements, and the array filters and positional
// paths of operators; and it makes the document that an upsert begins with. Pipelines are the business of package agg.
package update
