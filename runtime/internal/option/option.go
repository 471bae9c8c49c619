package option

import (
	"fmt"
	"reflect"
)

// Or returns what p points to, or the value otherwise if the option is unset.
func Or[T any](p *T, otherwise T) T {
	if p == nil {
		return otherwise
	}
	return *p
}

// CheckNumber refuses a value of an option that is none of the type's constants, which begin with 1.
func CheckNumber[T ~uint8](field string, v *T, last T, constants string) error {
	if v == nil || 1 <= *v && *v <= last {
		return nil
	}
	return fmt.Errorf("mongo: %s is %d, which is not one of its values: use %s", field, uint8(*v), constants)
}

// Copy returns a copy of options that are read after the call that took them: a program that changes its own values later
// does not change the copy. What an interface or a function holds is shared, and so is a struct with unexported fields.
func Copy[T any](o T) T {
	unshare(reflect.ValueOf(&o).Elem())
	return o
}

// unshare copies what v points to.
func unshare(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if t := v.Type().Elem(); !v.IsNil() && isOpen(t) {
			target := reflect.New(t)
			target.Elem().Set(v.Elem())
			unshare(target.Elem())
			v.Set(target)
		}
	case reflect.Slice:
		if !v.IsNil() {
			elements := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
			reflect.Copy(elements, v)
			for i := range v.Len() {
				unshare(elements.Index(i))
			}
			v.Set(elements)
		}
	case reflect.Struct:
		if isOpen(v.Type()) {
			for i := range v.NumField() {
				unshare(v.Field(i))
			}
		}
	}
}

// isOpen reports whether values of a type have no fields that only their own package may copy.
func isOpen(t reflect.Type) bool {
	if t.Kind() == reflect.Struct {
		for i := range t.NumField() {
			if !t.Field(i).IsExported() {
				return false
			}
		}
	}
	return true
}
