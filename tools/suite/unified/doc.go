// Package unified serves compiled tests, not users: it runs compiled cases of the unified test format: its entities with
// their operations, its expectations, and the deployments that a case accepts. A case is a function of a Run; On says where
// it runs.
//
// What the driver does not have yet fails a case with "not built". The compiler in gen/suite prints the calls; imported
// by generated tests only.
package unified
