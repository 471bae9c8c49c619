// Package pattern compiles the regular expressions of queries and expressions. It translates the options and the few
// spellings in which PCRE and the engines differ. Go's engine runs a pattern if it can; a pattern with back-references,
// look-around or atomic groups runs on one that may need more time. Recursion, conditions and possessive quantifiers are refused.
package pattern
