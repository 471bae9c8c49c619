//go:build purego

package bson

import "reflect"

// This file is reach.go without unsafe.

func (c *codec) value(p address) reflect.Value { return p.Elem() }

func (c *codec) pointerTo(p address) any { return p.Interface() }

func (e *encField) addressIn(p address) address { return e.field.reach(p) }

func (e *decField) addressIn(p address) address { return e.field.reach(p) }

func (m *member) addressIn(p address) address { return p.Elem().Field(m.index).Addr() }

func (fd *field) reach(p address) address {
	v := p.Elem()
	for _, i := range fd.index {
		if v.Kind() == reflect.Pointer {
			if v.IsNil() {
				return address{}
			}
			v = v.Elem()
		}
		v = v.Field(i)
	}
	return v.Addr()
}

func (fd *field) reachNew(p address) address {
	v := p.Elem()
	for _, i := range fd.index {
		if v.Kind() == reflect.Pointer {
			if v.IsNil() {
				v.Set(reflect.New(v.Type().Elem()))
			}
			v = v.Elem()
		}
		v = v.Field(i)
	}
	return v.Addr()
}

func (c *codec) element(list address, i int) address { return list.Index(i).Addr() }
