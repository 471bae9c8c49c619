package connstring

import (
	"log/slog"
	"math"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
)

// lookUp finds the value of an option by its name in a connection string, in the unit of that name. The fields of
// options.Client are called like the options but for the unit, and some are grouped: which those are is all that
// stands here. An option that is not set is nil.
func lookUp(o *options.Client, name string) (any, bool) {
	auth, read, write, preference := groups(o)
	switch strings.ToLower(name) {
	case "authmechanism":
		return deref(auth.AuthMechanism), true
	case "authsource":
		return deref(auth.AuthSource), true
	case "authmechanismproperties":
		return properties(auth), true
	case "gssapiservicename":
		if name, set := auth.AuthMechanismProperties["SERVICE_NAME"]; set {
			return name, true
		}
		return nil, true
	case "readconcernlevel":
		return read.Level, true
	case "w":
		return write.W, true
	case "journal":
		return deref(write.Journal), true
	case "wtimeoutms", "wtimeout":
		return number(write.WTimeout, time.Millisecond), true
	case "readpreference":
		return preference.Mode.String(), true
	case "maxstalenessseconds":
		return number(preference.MaxStaleness, time.Second), true
	case "readpreferencetags":
		return tagSets(preference), true
	case "ssl":
		return deref(o.TLS), true
	case "zlibcompressionlevel":
		return deref(o.ZlibLevel), true
	}
	return field(o, name)
}

// groups returns the options that belong together, empty where they are not set.
func groups(o *options.Client) (*options.Credential, *options.ReadConcern, *options.WriteConcern, *options.ReadPreference) {
	auth, read, write, preference := o.Auth, o.ReadConcern, o.WriteConcern, o.ReadPreference
	if auth == nil {
		auth = &options.Credential{}
	}
	if read == nil {
		read = &options.ReadConcern{}
	}
	if write == nil {
		write = &options.WriteConcern{}
	}
	if preference == nil {
		preference = &options.ReadPreference{}
	}
	return auth, read, write, preference
}

// field finds an option among the fields of options.Client.
func field(o *options.Client, name string) (any, bool) {
	for _, unit := range []struct {
		suffix string
		of     time.Duration
	}{{"MS", time.Millisecond}, {"Seconds", time.Second}, {"", 0}} {
		short, ok := strings.CutSuffix(strings.ToLower(name), strings.ToLower(unit.suffix))
		if !ok {
			continue
		}
		v := reflect.ValueOf(o).Elem().FieldByNameFunc(func(f string) bool { return strings.ToLower(f) == short })
		if !v.IsValid() {
			continue
		}
		if d, ok := v.Interface().(*time.Duration); ok {
			return number(d, max(unit.of, 1)), true
		}
		return plainValue(v), true
	}
	return nil, false
}

// plainValue returns the value of a field without its pointer, as a basic type.
func plainValue(v reflect.Value) any {
	if v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return nil
		}
		v = v.Elem()
	}
	switch v.Kind() {
	case reflect.Bool:
		return v.Bool()
	case reflect.Int, reflect.Int32, reflect.Int64:
		if level, ok := v.Interface().(slog.Level); ok {
			return level.String()
		}
		return v.Int()
	case reflect.String:
		return v.String()
	}
	return v.Interface()
}

func deref[T any](p *T) any {
	if p == nil {
		return nil
	}
	return *p
}

func number(d *time.Duration, unit time.Duration) any {
	if d == nil {
		return nil
	}
	return int64(*d / unit)
}

func properties(auth *options.Credential) any {
	out := bson.D{}
	for name, value := range auth.AuthMechanismProperties {
		out = append(out, bson.E{Key: name, Value: value})
	}
	return out
}

func tagSets(p *options.ReadPreference) any {
	out := bson.A{}
	for _, set := range p.TagSets {
		tags := bson.D{}
		for _, tag := range set {
			tags = append(tags, bson.E{Key: tag.Name, Value: tag.Value})
		}
		out = append(out, tags)
	}
	return out
}

// alternatives are other ways in which a test file may write a value: the text of a boolean property.
func alternatives(want any) []any {
	switch w := want.(type) {
	case bool:
		if w {
			return []any{"true"}
		}
		return []any{"false"}
	}
	return nil
}

// equal compares values as test files write them: integers of any size, lists of any type, objects without order and,
// since options are, keys without case.
func equal(got, want any) bool {
	g, w := normalize(got), normalize(want)
	if gd, ok := g.(map[string]any); ok {
		wd, ok := w.(map[string]any)
		if !ok || len(gd) != len(wd) {
			return false
		}
		for key, value := range wd {
			if v, ok := gd[key]; !ok ||
				!equal(v, value) && !slices.ContainsFunc(alternatives(value), func(w any) bool { return equal(v, w) }) {
				return false
			}
		}
		return true
	}
	if gl, ok := g.([]any); ok {
		wl, ok := w.([]any)
		return ok && slices.EqualFunc(gl, wl, equal)
	}
	return reflect.DeepEqual(g, w)
}

func normalize(v any) any {
	switch v := v.(type) {
	case bson.D:
		m := make(map[string]any, len(v))
		for _, e := range v {
			m[strings.ToLower(e.Key)] = e.Value
		}
		return m
	case bson.A:
		return []any(v)
	case []string:
		out := make([]any, len(v))
		for i, s := range v {
			out[i] = s
		}
		return out
	case int:
		return int64(v)
	case int32:
		return int64(v)
	case float64:
		if v == math.Trunc(v) {
			return int64(v)
		}
	}
	return v
}
