package expr

import (
	"math"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/number"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

var calendar = map[string]namedFunction{
	"$dateToString": {signature{
		names:   []string{"date", "format", "timezone", "onNull"},
		lazy:    2,
		object:  refusal{18629, "{op} only supports an object as its argument"},
		unknown: refusal{18534, "Unrecognized argument to {op}: {arg}"},
		missing: []refusal{{18628, "Missing 'date' parameter to {op}"}},
	}, dateToString},
	"$dateFromString": {signature{
		names:   []string{"dateString", "format", "timezone", "onError", "onNull"},
		lazy:    2,
		object:  refusal{40540, "{op} only supports an object as an argument, found: {type}"},
		unknown: refusal{40541, "Unrecognized argument to {op}: {arg}"},
		missing: []refusal{{40542, "Missing 'dateString' parameter to {op}"}},
	}, dateFromString},
	"$dateFromParts": {signature{
		names: []string{
			"year", "month", "day", "hour", "minute", "second", "millisecond", "isoWeekYear", "isoWeek", "isoDayOfWeek", "timezone",
		},
		lazy:    10,
		object:  refusal{40519, "{op} only supports an object as its argument"},
		unknown: refusal{40518, "Unrecognized argument to {op}: {arg}"},
		check:   checkParts,
	}, dateFromParts},
	"$dateToParts": {signature{
		names:   []string{"date", "timezone", "iso8601"},
		lazy:    1,
		object:  refusal{40524, "{op} only supports an object as its argument"},
		unknown: refusal{40520, "Unrecognized argument to {op}: {arg}"},
		missing: []refusal{{40522, "Missing 'date' parameter to {op}"}},
	}, dateToParts},
}

// stamps are the operators that read the parts of a timestamp.
var stamps = map[string]function{
	"$tsSecond":    newStampPart("$tsSecond", 5687301, func(t, _ uint32) uint32 { return t }),
	"$tsIncrement": newStampPart("$tsIncrement", 5687302, func(_, i uint32) uint32 { return i }),
}

func newStampPart(name string, code errcode.Code, part func(t, i uint32) uint32) function {
	return function{1, 1, func(_ *Env, args []bson.RawValue) (bson.RawValue, error) {
		t, i, ok := args[0].TimestampOK()
		switch {
		case anyNull(args):
			return value.Null, nil
		case !ok:
			return missing, status.Errorf(code, " Argument to %s must be a timestamp, but is %s", name, args[0].Type)
		}
		return value.Int64(int64(part(t, i))), nil
	}}
}

func dateToString(env *Env, args []bson.RawValue, g presentArguments) (bson.RawValue, error) {
	date, format := args[0], args[1]
	if !value.IsNullish(format) {
		if format.Type != bsontype.String {
			return missing, status.Errorf(18533,
				"$dateToString requires that 'format' be a string, found: %s with value %s", format.Type, status.TextOf(format))
		}
		if err := checkFormat(value.Text(format), toSpecifiers); err != nil {
			return missing, err
		}
	}
	zone, ok, err := g.evaluateZone(env, 2)
	switch {
	case err != nil:
		return missing, err
	case value.IsNullish(date):
		return g.evaluateOrNull(env, 3)
	case !ok || g.has(1) && value.IsNullish(format):
		return value.Null, nil
	}
	ms, err := coerceDate(date)
	if err != nil {
		return missing, err
	}
	text := value.Text(format)
	if !g.has(1) {
		text = "%Y-%m-%dT%H:%M:%S.%L"
		if zone == time.UTC || env.wire < wire.Server70 {
			text += "Z"
		}
	}
	s, err := formatDate(time.UnixMilli(ms).In(zone), text)
	return value.String(s), err
}

func dateFromString(env *Env, args []bson.RawValue, g presentArguments) (bson.RawValue, error) {
	text, format := args[0], args[1]
	if !value.IsNullish(format) {
		if format.Type != bsontype.String {
			return missing, status.Errorf(40684,
				"$dateFromString requires that 'format' be a string, found: %s with value %s", format.Type, status.TextOf(format))
		}
		if err := checkFormat(value.Text(format), fromSpecifiers); err != nil {
			return missing, err
		}
	}
	zone, ok, err := g.evaluateZone(env, 2)
	switch {
	case err != nil:
		return missing, err
	case value.IsNullish(text):
		return g.evaluateOrNull(env, 4)
	}
	var t time.Time
	switch {
	case text.Type != bsontype.String:
		err = status.Errorf(errcode.ConversionFailure,
			"$dateFromString requires that 'dateString' be a string, found: %s with value %s", text.Type, status.TextOf(text))
	case !ok || g.has(1) && value.IsNullish(format):
		return value.Null, nil
	case !g.has(2):
		zone = nil
		fallthrough
	default:
		if g.has(1) {
			t, err = parseFormat(value.Text(text), value.Text(format), zone)
		} else {
			t, err = parseDate(value.Text(text), zone)
		}
	}
	if err != nil {
		if g.has(3) {
			return g.evaluateOrNull(env, 3)
		}
		return missing, err
	}
	return value.DateTime(t.UnixMilli()), nil
}

var partNames = []string{"year", "month", "day", "hour", "minute", "second", "millisecond", "isoWeekYear", "isoWeek", "isoDayOfWeek"}

// checkParts refuses to mix the two calendars, when the expression is compiled.
func checkParts(args presentArguments) error {
	iso := args.has(7) || args.has(8) || args.has(9)
	switch {
	case !args.has(0) && !args.has(7):
		return status.Errorf(40516, "$dateFromParts requires either 'year' or 'isoWeekYear' to be present")
	case args.has(0) && iso:
		return status.Errorf(40489, "$dateFromParts does not allow mixing natural dates with ISO dates")
	case args.has(7) && (args.has(1) || args.has(2)):
		return status.Errorf(40525, "$dateFromParts does not allow mixing ISO dates with natural dates")
	}
	return nil
}

func dateFromParts(env *Env, args []bson.RawValue, g presentArguments) (bson.RawValue, error) {
	n := [...]int64{0, 1, 1, 0, 0, 0, 0, 0, 1, 1}
	for i := range n {
		if !g.has(i) {
			continue
		}
		if value.IsNullish(args[i]) {
			return value.Null, nil
		}
		var ok bool
		if n[i], ok = number.ExactInt64(args[i]); !ok {
			return missing, status.Errorf(40515,
				"'%s' must evaluate to an integer, found %s with value %s", partNames[i], args[i].Type, status.TextOf(args[i]))
		}
		if i != 0 && i != 5 && i != 6 && i != 7 && n[i] != int64(int16(n[i])) {
			return missing, status.Errorf(31034,
				"'%s' must evaluate to a value in the range [-32768, 32767]; value %d is not in range", partNames[i], n[i])
		}
	}
	zone, ok, err := g.evaluateZone(env, 10)
	if !ok || err != nil {
		return value.Null, err
	}
	year, yearCode, name := n[0], errcode.Code(40523), "year"
	if g.has(7) {
		year, yearCode, name = n[7], 31095, "isoWeekYear"
	}
	if year < 1 || year > 9999 {
		return missing, status.Errorf(yearCode, "'%s' must evaluate to an integer in the range 1 to 9999, found %d", name, year)
	}
	month, day := time.Month(n[1]), int(n[2])
	if g.has(7) {
		// The fourth of January is always in week 1 of the ISO calendar.
		fourth := time.Date(int(year), 1, 4, 0, 0, 0, 0, time.UTC)
		month, day = 1, 4-(int(fourth.Weekday())+6)%7+int(n[8]-1)*7+int(n[9])-1
	}
	t := time.Date(int(year), month, day, int(n[3]), int(n[4]), 0, 0, zone)
	if n[5] > math.MaxInt64/2000 || n[5] < math.MinInt64/2000 || n[6] > math.MaxInt64/4 || n[6] < math.MinInt64/4 {
		return missing, status.Errorf(159, "Overflow casting from a lower-precision duration to a higher-precision duration")
	}
	return value.DateTime(t.UnixMilli() + n[5]*1000 + n[6]), nil
}

func dateToParts(env *Env, args []bson.RawValue, g presentArguments) (bson.RawValue, error) {
	zone, ok, err := g.evaluateZone(env, 1)
	if !ok || err != nil {
		return value.Null, err
	}
	iso := value.Bool(false)
	if g.has(2) {
		if iso, err = g[2](env); err != nil {
			return missing, err
		}
	}
	switch {
	case value.IsNullish(iso):
		return value.Null, nil
	case iso.Type != bsontype.Boolean:
		return missing, status.Errorf(40521, "iso8601 must evaluate to a bool, found %s", iso.Type)
	case value.IsNullish(args[0]):
		return value.Null, nil
	}
	ms, err := coerceDate(args[0])
	if err != nil {
		return missing, err
	}
	names, from := partNames[:7], []string{"$year", "$month", "$dayOfMonth", "$hour", "$minute", "$second", "$millisecond"}
	if value.IsTruthy(iso) {
		names = append(partNames[7:len(partNames):len(partNames)], names[3:]...)
		from = append([]string{"$isoWeekYear", "$isoWeek", "$isoDayOfWeek"}, from[3:]...)
	}
	d, start := bson.AppendDocumentStart(nil)
	for i, name := range names {
		d = bson.AppendInt32Element(d, name, int32(parts[from[i]](time.UnixMilli(ms).In(zone))))
	}
	return value.Document(bson.AppendDocumentEnd(d, start)), nil
}
