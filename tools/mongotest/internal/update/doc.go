// Package update compiles and applies update documents: operators, replacements, array filters and positional paths. It
// also makes the document that an upsert starts from. Package agg handles pipelines.
package update
