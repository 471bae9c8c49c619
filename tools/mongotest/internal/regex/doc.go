// Package regex compiles the regular expressions of queries and expressions. It translates the options and the few
// spellings that differ between PCRE and the engines. Go's engine runs a pattern if it can. A pattern with
// back-references, look-around or atomic groups runs on a backtracking engine. That engine can be slow, so it gives up
// after half a second. Recursion, conditions and possessive quantifiers are refused.
package regex
