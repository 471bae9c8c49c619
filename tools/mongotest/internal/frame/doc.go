// Package frame reads requests and writes replies of the wire protocol, as a server does.
//
// It is written apart from the driver's own frames on purpose: what one side writes wrongly the other must not read
// back as right. Only mongotest imports it. Left out: the other opcodes that servers before 5.1 took, such as OP_INSERT and
// OP_KILL_CURSORS; a connection that sends one is closed.
package frame
