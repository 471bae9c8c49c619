// Package compress holds the compressors that OP_COMPRESSED names, over byte slices.
//
// It knows nothing of messages: the caller says how many bytes may come out. The conn package and mongotest import it.
package compress
