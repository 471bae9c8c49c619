package expr

import (
	"strings"
	"time"
	_ "time/tzdata" // time zones by name, for machines without a zone database

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

// parts are the components of a date. Each is also an operator.
var parts = map[string]func(time.Time) int{
	"$year":        time.Time.Year,
	"$month":       func(t time.Time) int { return int(t.Month()) },
	"$dayOfMonth":  time.Time.Day,
	"$hour":        time.Time.Hour,
	"$minute":      time.Time.Minute,
	"$second":      time.Time.Second,
	"$millisecond": func(t time.Time) int { return t.Nanosecond() / 1e6 },
	"$dayOfYear":   time.Time.YearDay,
	"$dayOfWeek":   func(t time.Time) int { return int(t.Weekday()) + 1 },
	"$week":        weekOfYear,
	"$isoWeek": func(t time.Time) int {
		_, w := t.ISOWeek()
		return w
	},
	"$isoWeekYear": func(t time.Time) int {
		y, _ := t.ISOWeek()
		return y
	},
	"$isoDayOfWeek": func(t time.Time) int { return (int(t.Weekday())+6)%7 + 1 },
}

var datePartSignature = signature{
	names:   []string{"date", "timezone"},
	unknown: refusal{40535, "unrecognized option to {op}: \"{arg}\""},
	missing: []refusal{{40539, "missing 'date' argument to {op}, provided: {op}: {found}"}},
}

// compileDatePart compiles an operator of parts. It takes a date, or {date, timezone}.
func (c *compiler) compileDatePart(name string, arg bson.RawValue) (eval, error) {
	part := parts[name]
	var args presentArguments
	var err error
	d, isDocument := arg.DocumentOK()
	first, _ := d.Index(0)
	if isDocument && !strings.HasPrefix(first.Key, "$") {
		args, err = c.compileArguments(name, arg, datePartSignature)
	} else {
		l := list(arg)
		if len(l) != 1 {
			return nil, status.Errorf(40536, "%s accepts exactly one argument if given an array, but was given %d", name, len(l))
		}
		args = make(presentArguments, 2)
		args[0], err = c.compile(l[0])
	}
	if err != nil {
		return nil, err
	}
	return func(env *Env) (bson.RawValue, error) {
		v, err := args[0](env)
		if err != nil || value.IsNullish(v) {
			return value.Null, err
		}
		ms, err := coerceDate(v)
		if err != nil {
			return missing, err
		}
		zone, ok, err := args.evaluateZone(env, 1)
		if !ok || err != nil {
			return value.Null, err
		}
		n := part(time.UnixMilli(ms).In(zone))
		if name == "$isoWeekYear" {
			return value.Int64(int64(n)), nil
		}
		return value.Int32(int32(n)), nil
	}, nil
}

// evaluateZone evaluates a time zone argument. ok is false for null.
func (g presentArguments) evaluateZone(env *Env, i int) (loc *time.Location, ok bool, err error) {
	if !g.has(i) {
		return time.UTC, true, nil
	}
	v, err := g[i](env)
	if err != nil || value.IsNullish(v) {
		return nil, false, err
	}
	loc, err = zoneOf(v)
	return loc, err == nil, err
}

// holdsDate reports whether v is a date or of a type that contains one.
func holdsDate(v bson.RawValue) bool {
	return v.Type == bsontype.DateTime || v.Type == bsontype.ObjectID || v.Type == bsontype.Timestamp
}

// coerceDate reads a date, ObjectId or timestamp.
func coerceDate(v bson.RawValue) (ms int64, err error) {
	if !holdsDate(v) {
		return 0, status.Errorf(errcode.Location16006, "can't convert from BSON type %s to Date", value.TypeName(v))
	}
	d, err := toDate(v)
	ms, _ = d.DateTimeOK()
	return ms, err
}
