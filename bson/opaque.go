package bson

import "reflect"

// isOpaque reports whether the type is a struct without exported fields that has no BSON form of its own.
func (c *codec) isOpaque() bool {
	if _, ok := exactCodecOf(c.typ); ok || c.typ.Kind() != reflect.Struct {
		return false
	}
	for i := range c.typ.NumField() {
		if c.typ.Field(i).IsExported() {
			return false
		}
	}
	return true
}
