// Package collate orders strings by the rules of a language, as the collation document of a command asks.
//
// It knows locale (with a variant behind @collation=), strength, caseLevel, numericOrdering, alternate and backwards.
// caseFirst and a maxVariable of space are refused; normalization is always on. The nil *Collator is the simple, binary
// order.
package collate
