// Package unified reads test files of the unified test format: it judges them by the table of what the format allows
// and gives them as a model of entities, operations, events and matches. What an operation or a match operator means
// is the emitter's business.
package unified
