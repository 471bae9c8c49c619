// Package compress packs and unpacks the content of OP_COMPRESSED for mongotest.
//
// It is written apart from the driver's own package, like frame, so a mistake in one of them shows in the other.
package compress
