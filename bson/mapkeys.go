package bson

import (
	"encoding"
	"fmt"
	"reflect"
	"strconv"
)

func newMapKeys(t reflect.Type) *mapKeys {
	if t.Kind() == reflect.String {
		return &mapKeys{
			encode: func(key reflect.Value) (string, error) { return key.String(), nil },
			decode: func(text string, key reflect.Value) error { key.SetString(text); return nil },
		}
	}
	k := &mapKeys{
		encode: func(reflect.Value) (string, error) {
			return "", fmt.Errorf("%v cannot become a key: the keys of a map are strings, integers, or types with MarshalText", t)
		},
		decode: func(string, reflect.Value) error { return fmt.Errorf("a key cannot become a %v", t) },
	}
	k.useNumbers(t)
	k.useMethods(t)
	return k
}

func (k *mapKeys) useNumbers(t reflect.Type) {
	switch t.Kind() {
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		k.encode = func(key reflect.Value) (string, error) { return strconv.FormatInt(key.Int(), 10), nil }
		k.decode = func(text string, key reflect.Value) error {
			n, err := strconv.ParseInt(text, 10, t.Bits())
			if err != nil {
				return fmt.Errorf("the key %q is not a number that fits into %v", text, t)
			}
			key.SetInt(n)
			return nil
		}
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		k.encode = func(key reflect.Value) (string, error) { return strconv.FormatUint(key.Uint(), 10), nil }
		k.decode = func(text string, key reflect.Value) error {
			n, err := strconv.ParseUint(text, 10, t.Bits())
			if err != nil {
				return fmt.Errorf("the key %q is not a number that fits into %v", text, t)
			}
			key.SetUint(n)
			return nil
		}
	}
}

func (k *mapKeys) useMethods(t reflect.Type) {
	switch pointer := reflect.PointerTo(t); {
	case pointer.Implements(typeKeyMarshaler):
		k.encode = func(key reflect.Value) (string, error) {
			return addressOf(key).(KeyMarshaler).MarshalKey()
		}
	case pointer.Implements(typeTextMarshaler):
		k.encode = func(key reflect.Value) (string, error) {
			text, err := addressOf(key).(encoding.TextMarshaler).MarshalText()
			return string(text), err
		}
	}
	switch pointer := reflect.PointerTo(t); {
	case pointer.Implements(typeKeyUnmarshaler):
		k.decode = func(text string, key reflect.Value) error {
			return key.Addr().Interface().(KeyUnmarshaler).UnmarshalKey(text)
		}
	case pointer.Implements(typeTextUnmarshaler):
		k.decode = func(text string, key reflect.Value) error {
			return key.Addr().Interface().(encoding.TextUnmarshaler).UnmarshalText([]byte(text))
		}
	}
}

// addressOf returns a pointer to key, because the pointer may have methods that the key itself lacks. encodeMapElements
// makes key addressable.
func addressOf(key reflect.Value) any { return key.Addr().Interface() }
