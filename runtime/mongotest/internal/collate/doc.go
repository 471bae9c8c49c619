// Package collate orders strings by the rules of a language, as the collation document of a command asks.
//
// It knows locale, strength 1 to 3, caseLevel and numericOrdering; strengths above 3 sort as 3, the other options are
// checked and ignored. The nil *Collator is the simple, binary order.
package collate
