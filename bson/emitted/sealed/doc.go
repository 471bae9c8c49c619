// Package sealed is plumbing, not for users: it derives tokens of Queryable Encryption, encrypts under them, and splits
// stored values. What the specifications tabulate of them is in generated/core/encryption, which calls it. It does no
// I/O.
package sealed
