package expr

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	_ "time/tzdata" // zones by name on machines that have no database of them

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/runtime/mongotest/internal/number"
	"github.com/specdrivers/onion/runtime/mongotest/internal/path"
	"github.com/specdrivers/onion/runtime/mongotest/internal/status"
	"github.com/specdrivers/onion/runtime/mongotest/internal/value"
)

// parts are the numbers of a date, each also an operator of its own.
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
	"$week":        week,
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

// week counts from the first Sunday of the year.
func week(t time.Time) int { return (t.YearDay() + 6 - int(t.Weekday())) / 7 }

// datePart compiles one of parts: of a date, or of {date, timezone}.
func (c *compiler) datePart(name string, arg bson.RawValue) (eval, error) {
	part := parts[name]
	if arg.Type == bsontype.Array {
		l := value.Elements(arg)
		if len(l) != 1 {
			return nil, status.Errorf(40536, "%s accepts exactly one argument if given an array, but was given %d", name, len(l))
		}
		arg = l[0]
	}
	if d, ok := arg.DocumentOK(); !ok || path.Field(d, "date").IsZero() {
		wrapped, start := bson.AppendDocumentStart(nil)
		wrapped = bson.AppendRawValueElement(wrapped, "date", arg)
		arg = value.Document(bson.AppendDocumentEnd(wrapped, start))
	}
	args, present, err := c.arguments(name, arg, []string{"date", "timezone"}, 1)
	if err != nil {
		return nil, err
	}
	return func(env *Env) (bson.RawValue, error) {
		v, err := args[0](env)
		if err != nil {
			return v, err
		}
		var zone bson.RawValue
		if present[1] {
			if zone, err = args[1](env); err != nil {
				return zone, err
			}
			if value.Nullish(zone) {
				return value.Null, nil
			}
		}
		t, ok, err := dateOf(v, zone)
		if !ok || err != nil {
			return value.Null, err
		}
		if name == "$isoWeekYear" {
			return value.Int64(int64(part(t))), nil
		}
		return value.Int32(int32(part(t))), nil
	}, nil
}

// dateOf reads a date, ObjectId or timestamp in a zone; ok is false for null.
func dateOf(v, zone bson.RawValue) (t time.Time, ok bool, err error) {
	loc, err := zoneOf(zone)
	if err != nil {
		return t, false, err
	}
	switch v.Type {
	case 0, bsontype.Null, bsontype.Undefined:
		return t, false, nil
	case bsontype.DateTime:
		t, _ = v.TimeOK()
	case bsontype.ObjectID:
		id, _ := v.ObjectIDOK()
		t = id.Timestamp()
	case bsontype.Timestamp:
		s, _, _ := v.TimestampOK()
		t = time.Unix(int64(s), 0)
	default:
		return t, false, status.Errorf(16006, "can't convert from BSON type %s to Date", v.Type)
	}
	return t.In(loc), true, nil
}

// zoneOf reads a time zone: a name, or an offset such as +05:30.
func zoneOf(v bson.RawValue) (*time.Location, error) {
	if value.Nullish(v) {
		return time.UTC, nil
	}
	name, ok := v.StringOK()
	if !ok {
		return nil, status.Errorf(40533, "timezone must evaluate to a string, found %s", v.Type)
	}
	if name != "" && (name[0] == '+' || name[0] == '-') {
		digits := strings.Replace(name[1:], ":", "", 1)
		n, err := strconv.Atoi(digits)
		switch {
		case err != nil || len(digits) != 2 && len(digits) != 4:
			return nil, status.Errorf(40485, "unrecognized time zone identifier: \"%s\"", name)
		case len(digits) == 2:
			n *= 100
		}
		seconds := n/100*3600 + n%100*60
		if name[0] == '-' {
			seconds = -seconds
		}
		return time.FixedZone(name, seconds), nil
	}
	loc, err := time.LoadLocation(name)
	if err != nil || name == "Local" || name == "" {
		return nil, status.Errorf(40485, "unrecognized time zone identifier: \"%s\"", name)
	}
	return loc, nil
}

var calendar = map[string]namedFunction{
	"$dateToString":   {[]string{"date", "format", "timezone", "onNull"}, 1, dateToString},
	"$dateFromString": {[]string{"dateString", "format", "timezone", "onError", "onNull"}, 1, dateFromString},
	"$dateFromParts":  {[]string{"year", "month", "day", "hour", "minute", "second", "millisecond", "timezone"}, 1, dateFromParts},
	"$dateToParts":    {[]string{"date", "timezone", "iso8601"}, 1, dateToParts},
	"$dateAdd":        {[]string{"startDate", "unit", "amount", "timezone"}, 3, dateAdd(1)},
	"$dateSubtract":   {[]string{"startDate", "unit", "amount", "timezone"}, 3, dateAdd(-1)},
	"$dateDiff":       {[]string{"startDate", "endDate", "unit", "timezone", "startOfWeek"}, 3, dateDiff},
	"$dateTrunc":      {[]string{"date", "unit", "binSize", "timezone", "startOfWeek"}, 2, dateTrunc},
}

func dateToString(_ *Env, args []bson.RawValue, present []bool) (bson.RawValue, error) {
	t, ok, err := dateOf(args[0], args[2])
	if err != nil {
		return missing, err
	}
	if !ok {
		if present[3] {
			return args[3], nil
		}
		return value.Null, nil
	}
	format := "%Y-%m-%dT%H:%M:%S.%LZ"
	if present[2] && t.Location() != time.UTC {
		format = "%Y-%m-%dT%H:%M:%S.%L"
	}
	if present[1] {
		if format, ok = args[1].StringOK(); !ok {
			return value.Null, nil
		}
	}
	s, err := formatDate(t, format)
	return value.String(s), err
}

func formatDate(t time.Time, format string) (string, error) {
	var b strings.Builder
	for i := 0; i < len(format); i++ {
		if format[i] != '%' {
			b.WriteByte(format[i])
			continue
		}
		if i++; i == len(format) {
			return "", status.Errorf(18535, "Unmatched '%%' at end of format string")
		}
		isoYear, isoWeek := t.ISOWeek()
		_, offset := t.Zone()
		sign := '+'
		if offset < 0 {
			sign, offset = '-', -offset
		}
		switch format[i] {
		case 'Y':
			fmt.Fprintf(&b, "%04d", t.Year())
		case 'm':
			fmt.Fprintf(&b, "%02d", int(t.Month()))
		case 'd':
			fmt.Fprintf(&b, "%02d", t.Day())
		case 'H':
			fmt.Fprintf(&b, "%02d", t.Hour())
		case 'M':
			fmt.Fprintf(&b, "%02d", t.Minute())
		case 'S':
			fmt.Fprintf(&b, "%02d", t.Second())
		case 'L':
			fmt.Fprintf(&b, "%03d", t.Nanosecond()/1e6)
		case 'j':
			fmt.Fprintf(&b, "%03d", t.YearDay())
		case 'w':
			fmt.Fprintf(&b, "%d", int(t.Weekday())+1)
		case 'u':
			fmt.Fprintf(&b, "%d", (int(t.Weekday())+6)%7+1)
		case 'U':
			fmt.Fprintf(&b, "%02d", week(t))
		case 'V':
			fmt.Fprintf(&b, "%02d", isoWeek)
		case 'G':
			fmt.Fprintf(&b, "%04d", isoYear)
		case 'B':
			b.WriteString(t.Month().String())
		case 'b':
			b.WriteString(t.Month().String()[:3])
		case 'z':
			fmt.Fprintf(&b, "%c%02d%02d", sign, offset/3600, offset%3600/60)
		case 'Z':
			fmt.Fprintf(&b, "%c%d", sign, offset/60)
		case '%':
			b.WriteByte('%')
		default:
			return "", status.Errorf(18536, "Invalid format character '%%%c' in format string", format[i])
		}
	}
	return b.String(), nil
}

// layouts are the characters of a format that can be parsed, as Go spells them.
var layouts = map[byte]string{
	'Y': "2006", 'm': "01", 'd': "02", 'H': "15", 'M': "04", 'S': "05", 'L': "000", 'j': "002", 'B': "January", 'b': "Jan",
	'z': "-0700", '%': "%",
}

func dateFromString(_ *Env, args []bson.RawValue, present []bool) (bson.RawValue, error) {
	if value.Nullish(args[0]) {
		if present[4] {
			return args[4], nil
		}
		return value.Null, nil
	}
	t, err := parseWith(args)
	if err != nil {
		if present[3] {
			return args[3], nil
		}
		return missing, err
	}
	return value.DateTime(t.UnixMilli()), nil
}

func parseWith(args []bson.RawValue) (time.Time, error) {
	loc, err := zoneOf(args[2])
	if err != nil {
		return time.Time{}, err
	}
	s, ok := args[0].StringOK()
	if !ok {
		return time.Time{}, status.Errorf(241, "$dateFromString requires that 'dateString' be a string, found: %s with value %s", args[0].Type, status.TextOf(args[0]))
	}
	format, ok := args[1].StringOK()
	if !ok {
		return parseDate(s, loc)
	}
	var layout strings.Builder
	for i := 0; i < len(format); i++ {
		if format[i] != '%' {
			layout.WriteByte(format[i])
			continue
		}
		if i++; i == len(format) || layouts[format[i]] == "" {
			return time.Time{}, status.Errorf(18536, "Invalid format character in format string '%s'", format)
		}
		layout.WriteString(layouts[format[i]])
	}
	t, err := time.ParseInLocation(layout.String(), s, loc)
	if err != nil {
		return t, status.Errorf(241, "Error parsing date string '%s'", s)
	}
	return t, nil
}

func dateFromParts(_ *Env, args []bson.RawValue, present []bool) (bson.RawValue, error) {
	n := [7]int{0, 1, 1}
	for i := range n {
		if !present[i] {
			continue
		}
		if value.Nullish(args[i]) {
			return value.Null, nil
		}
		whole, ok := number.Whole(args[i])
		if !ok || whole < -100_000 || whole > 1_000_000_000 {
			return missing, status.Errorf(40515, "'%s' must evaluate to an integer, found %s with value :%s", partNames[i], args[i].Type, status.TextOf(args[i]))
		}
		n[i] = int(whole)
	}
	if n[0] < 1 || n[0] > 9999 {
		return missing, status.Errorf(40523, "'year' must evaluate to an integer in the range 1 to 9999, found %d", n[0])
	}
	loc, err := zoneOf(args[7])
	if err != nil {
		return missing, err
	}
	t := time.Date(n[0], time.Month(n[1]), n[2], n[3], n[4], n[5], 0, loc)
	return value.DateTime(t.UnixMilli() + int64(n[6])), nil
}

var partNames = [...]string{"year", "month", "day", "hour", "minute", "second", "millisecond"}

func dateToParts(_ *Env, args []bson.RawValue, _ []bool) (bson.RawValue, error) {
	t, ok, err := dateOf(args[0], args[1])
	if !ok || err != nil {
		return value.Null, err
	}
	names, from := partNames[:], []string{"$year", "$month", "$dayOfMonth", "$hour", "$minute", "$second", "$millisecond"}
	if value.Truthy(args[2]) {
		names = append([]string{"isoWeekYear", "isoWeek", "isoDayOfWeek"}, names[3:]...)
		from = append([]string{"$isoWeekYear", "$isoWeek", "$isoDayOfWeek"}, from[3:]...)
	}
	d, start := bson.AppendDocumentStart(nil)
	for i, name := range names {
		d = bson.AppendInt32Element(d, name, int32(parts[from[i]](t)))
	}
	return value.Document(bson.AppendDocumentEnd(d, start)), nil
}
