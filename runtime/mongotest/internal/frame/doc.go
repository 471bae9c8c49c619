// Package frame reads requests and writes replies of the wire protocol, as a server does.
//
// It is written apart from the driver's own frames on purpose: what one side writes wrongly the other must not read
// back as right. Only mongotest imports it.
package frame
