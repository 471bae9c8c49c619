package bson

import (
	"reflect"
	"unsafe"
)

// reach returns the address of the field in the struct at p, nil if a pointer on the way is nil.
func (fd *field) reach(p unsafe.Pointer) unsafe.Pointer {
	for _, h := range fd.hops {
		if p = *(*unsafe.Pointer)(unsafe.Add(p, h.offset)); p == nil {
			return nil
		}
	}
	return unsafe.Add(p, fd.offset)
}

// reachNew is reach that allocates the structs on the way.
func (fd *field) reachNew(p unsafe.Pointer) unsafe.Pointer {
	for _, h := range fd.hops {
		next := (*unsafe.Pointer)(unsafe.Add(p, h.offset))
		if *next == nil {
			*next = reflect.New(h.target).UnsafePointer()
		}
		p = *next
	}
	return unsafe.Add(p, fd.offset)
}
