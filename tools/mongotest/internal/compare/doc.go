// Package compare is the order of BSON values: across all types, with numbers compared by value and strings by a
// collation. The same order exists as a comparison (Values) and as bytes (AppendKey), which index keys are made of.
package compare
