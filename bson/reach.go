//go:build !purego

package bson

import (
	"reflect"
	"unsafe"
)

// This file goes from the address of a value to the addresses of its parts. Its twin, built with the tag purego, does the same.

// value returns the value at p. reflect.NewAt would look for the pointer's type each time.
func (c *codec) value(p address) reflect.Value { return reflect.ValueOf(c.pointerTo(p)).Elem() }

// pointerTo returns an any that holds p as a pointer to the codec's type.
func (c *codec) pointerTo(p address) any { return makeAny(c.pointerType, p) }

func (e *encField) addressIn(p address) address { return unsafe.Add(p, e.offset) }

func (e *decField) addressIn(p address) address { return unsafe.Add(p, e.offset) }

func (m *member) addressIn(p address) address { return unsafe.Add(p, m.offset) }

// reach returns the address of the field in the struct at p, or none if a pointer to an inlined struct is nil.
func (fd *field) reach(p address) address {
	for _, h := range fd.hops {
		if p = *(*unsafe.Pointer)(unsafe.Add(p, h.offset)); p == nil {
			return nil
		}
	}
	return unsafe.Add(p, fd.offset)
}

// reachNew is reach, but allocates the inlined structs whose pointers are nil.
func (fd *field) reachNew(p address) address {
	for _, h := range fd.hops {
		next := (*unsafe.Pointer)(unsafe.Add(p, h.offset))
		if *next == nil {
			*next = reflect.New(h.target).UnsafePointer()
		}
		p = *next
	}
	return unsafe.Add(p, fd.offset)
}

// element returns where element i of a slice or array is. c is the codec of the elements.
func (c *codec) element(list address, i int) address { return unsafe.Add(list, uintptr(i)*c.size) }
