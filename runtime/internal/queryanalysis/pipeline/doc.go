// Package pipeline analyses aggregation pipelines: it follows the shape of documents from stage to stage, and so knows
// in each which fields are encrypted. It does no I/O; only query analysis imports it.
package pipeline
