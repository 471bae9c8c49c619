package mongo

import (
	"encoding/json"
	"fmt"
	"reflect"
	"time"
	"unicode"
)

// MarshalJSON encodes the statistics for people and programs alike: names begin with a small letter, types are words,
// durations are numbers of milliseconds in fields that end in MS, and times that are unset are left out.
func (s Stats) MarshalJSON() ([]byte, error) { return appendReadable(nil, reflect.ValueOf(s)) }

// appendReadable appends a part of Stats.
func appendReadable(dst []byte, v reflect.Value) ([]byte, error) {
	switch value := v.Interface().(type) {
	case time.Time:
		text, err := value.UTC().MarshalJSON()
		return append(dst, text...), err
	case time.Duration:
		return fmt.Appendf(dst, "%.6g", float64(value)/float64(time.Millisecond)), nil
	case fmt.Stringer:
		return fmt.Appendf(dst, "%q", value), nil
	}
	switch v.Kind() {
	case reflect.Struct:
		return appendFields(dst, v)
	case reflect.Slice:
		dst = append(dst, '[')
		for i := range v.Len() {
			if i > 0 {
				dst = append(dst, ',')
			}
			var err error
			if dst, err = appendReadable(dst, v.Index(i)); err != nil {
				return nil, err
			}
		}
		return append(dst, ']'), nil
	}
	text, err := json.Marshal(v.Interface())
	return append(dst, text...), err
}

func appendFields(dst []byte, v reflect.Value) ([]byte, error) {
	dst = append(dst, '{')
	for field, value := range v.Fields() {
		if at, ok := value.Interface().(time.Time); ok && at.IsZero() {
			continue
		}
		if dst[len(dst)-1] != '{' {
			dst = append(dst, ',')
		}
		dst = fmt.Appendf(dst, "%q:", readableName(field))
		var err error
		if dst, err = appendReadable(dst, value); err != nil {
			return nil, err
		}
	}
	return append(dst, '}'), nil
}

// readableName is the name of a field with its unit, such as minRTTMS.
func readableName(field reflect.StructField) string {
	name := []rune(field.Name)
	for i := range name {
		if i > 0 && i+1 < len(name) && unicode.IsLower(name[i+1]) {
			break // in RTTMin, the last of the capitals begins the next word
		}
		name[i] = unicode.ToLower(name[i])
	}
	if field.Type == reflect.TypeFor[time.Duration]() {
		return string(name) + "MS"
	}
	return string(name)
}
