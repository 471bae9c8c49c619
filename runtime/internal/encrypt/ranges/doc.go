// Package ranges turns values of a range index into unsigned integers, those into the edges of a tree, and ranges into the
// fewest nodes of the tree that cover them.
//
// It is pure arithmetic: payloads encrypt what it yields. An order-preserving integer has as many bits as the largest one;
// an edge is a prefix of those bits, and the whole tree is called root. Only encrypt's packages import it.
package ranges
