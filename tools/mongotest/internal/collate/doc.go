// Package collate orders strings by the rules of a language, as a command's collation document specifies.
//
// It supports locale (with a variant after @collation=), strength, caseLevel, caseFirst, numericOrdering, alternate,
// maxVariable and backwards. Normalization is always on. The nil *Collator is the simple, binary order.
package collate
