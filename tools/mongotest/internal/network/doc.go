// Package network is a network in memory: listeners and connections that work like TCP sockets of this machine, without any
// socket.
//
// Every wait is on a channel and every deadline is a timer, and no lock is held across either, so a network made in a
// testing/synctest bubble lets virtual time pass.
package network
