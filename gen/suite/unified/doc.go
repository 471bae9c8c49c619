// Package unified is part of the generator, not for users: it reads test files of the unified test format. It checks them
// against the table of what the format allows, and turns them into a model of entities, operations, events and matches. The
// emitter decides what an operation or a match operator means.
package unified
