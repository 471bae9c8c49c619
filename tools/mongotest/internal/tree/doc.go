// Package tree is an ordered map that keeps its old versions: a B-tree whose nodes are copied when they change.
//
// A Map is a value. Copying it is taking a snapshot; a change through one copy is never seen by another. Within one Edit
// nodes are changed in place, so a batch copies every node at most once. A Map under an Edit belongs to one
// goroutine; any number of them may read a Map while none edits it.
package tree
