// Package frame reads requests and writes replies of the wire protocol, as a server does.
//
// It deliberately shares no code with the driver's frames: if one side writes something wrong, the other must not read
// it back as right. Only mongotest imports it. Left out: the other opcodes that servers before 5.1 took, such as
// OP_INSERT and OP_KILL_CURSORS. A connection that sends one is closed.
package frame
