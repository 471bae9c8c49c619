// Package compare defines the order of BSON values across all types. Numbers compare by value and strings by a
// collation. The order exists in two forms: as a comparison (Values), and as bytes (AppendKey), which make up index
// keys.
package compare
