// Package bulk holds what bulk writes do without a server: it splits their models by command, and compares replies with what
// was sent. Errors name the first field of a reply that contradicts the command.
//
// Package mongo imports it, also for writes of one statement.
package bulk
