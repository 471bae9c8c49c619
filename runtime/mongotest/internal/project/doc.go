// Package project applies projections: the one of find, with its positional operator, $slice and $elemMatch, and that of
// the $project stage. Both may compute fields by expressions. $meta is refused.
package project
