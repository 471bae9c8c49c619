// Package text lists what a searchable text is indexed by: its prefixes, suffixes or substrings, after folding.
//
// It is pure: payloads encrypt what it yields. How many entries a text has depends on its length in blocks of 16 bytes
// and on nothing else, so that their number reveals little. Entries that no part of the text fills are padding. Only encrypt's
// packages import it.
package text
