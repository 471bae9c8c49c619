// Package compress packs and unpacks the content of OP_COMPRESSED for mongotest.
//
// Like frame, it shares no code with the driver, so that a mistake in one of them shows in the other.
package compress
