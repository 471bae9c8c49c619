package emitted

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// The texts to print for a secret that is set, and for a value that has no text, such as a function.
const (
	redacted = `"redacted"`
	present  = `"set"`
)

// PrintFields writes the name of v's type and its fields.
func PrintFields(f fmt.State, v any, secret ...string) {
	text, _ := FieldsJSON(v, secret...)
	fmt.Fprintf(f, "%T%s", v, text)
}

// FieldsJSON encodes the fields of a struct that are set. It never fails; it returns an error only because MarshalJSON
// must. encoding/json would show secrets, and write a < or & of an address as
// \u003c or \u0026.
func FieldsJSON(v any, secret ...string) ([]byte, error) {
	return appendFields(nil, reflect.ValueOf(v), secret), nil
}

func appendFields(dst []byte, v reflect.Value, secret []string) []byte {
	t := v.Type()
	dst = append(dst, '{')
	for i := range v.NumField() {
		name := t.Field(i).Name
		if v.Field(i).IsZero() {
			continue
		}
		if dst[len(dst)-1] != '{' {
			dst = append(dst, ',')
		}
		dst = append(appendText(dst, name), ':')
		if slices.Contains(secret, name) {
			dst = append(dst, redacted...)
		} else {
			dst = appendValue(dst, v.Field(i), t.PkgPath())
		}
	}
	return append(dst, '}')
}

// appendValue appends a value in a form that is safe to print. It looks into the structs of one package only, because a
// *tls.Config holds keys.
func appendValue(dst []byte, v reflect.Value, pkg string) []byte {
	if v.Kind() == reflect.Pointer && !v.IsNil() {
		return appendValue(dst, v.Elem(), pkg)
	}
	switch x := v.Interface().(type) {
	case interface{ MarshalJSON() ([]byte, error) }:
		if v.Type().PkgPath() == pkg {
			text, _ := x.MarshalJSON()
			return append(dst, text...)
		}
	case fmt.Stringer:
		return appendText(dst, x.String())
	}
	switch v.Kind() {
	case reflect.Bool:
		return strconv.AppendBool(dst, v.Bool())
	case reflect.Int, reflect.Int32, reflect.Int64:
		return strconv.AppendInt(dst, v.Int(), 10)
	case reflect.String:
		return appendText(dst, v.String())
	case reflect.Slice:
		dst = append(dst, '[')
		for i := range v.Len() {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendValue(dst, v.Index(i), pkg)
		}
		return append(dst, ']')
	case reflect.Struct:
		if v.Type().PkgPath() == pkg {
			return appendFields(dst, v, nil)
		}
	}
	return append(dst, present...)
}

// appendText appends a text as a JSON string.
func appendText(dst []byte, s string) []byte {
	dst = append(dst, '"')
	for _, r := range strings.ToValidUTF8(s, string(utf8.RuneError)) {
		switch {
		case r == '"' || r == '\\':
			dst = append(dst, '\\', byte(r))
		case r < ' ':
			dst = fmt.Appendf(dst, `\u%04x`, r)
		default:
			dst = utf8.AppendRune(dst, r)
		}
	}
	return append(dst, '"')
}
