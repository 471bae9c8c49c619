package expr

import (
	"strings"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/runtime/mongotest/internal/number"
	"github.com/specdrivers/onion/runtime/mongotest/internal/status"
	"github.com/specdrivers/onion/runtime/mongotest/internal/value"
)

// unit is a unit of time: a number of months, or of days, or a fixed length.
type unit struct {
	months, days int
	length       time.Duration
}

var units = map[string]unit{
	"year": {months: 12}, "quarter": {months: 3}, "month": {months: 1}, "week": {days: 7}, "day": {days: 1},
	"hour": {length: time.Hour}, "minute": {length: time.Minute}, "second": {length: time.Second},
	"millisecond": {length: time.Millisecond},
}

func unitOf(v bson.RawValue) (unit, error) {
	name, ok := v.StringOK()
	if !ok {
		return unit{}, status.Errorf(5439013, "unit parameter value must be a string, found %s", value.TypeName(v))
	}
	u, known := units[name]
	if !known {
		return unit{}, status.Errorf(9, "unknown time unit value: %s", name)
	}
	return u, nil
}

func dateAdd(sign int) func(*Env, []bson.RawValue, []bool) (bson.RawValue, error) {
	return func(_ *Env, args []bson.RawValue, _ []bool) (bson.RawValue, error) {
		t, ok, err := dateOf(args[0], args[3])
		if !ok || err != nil || value.Nullish(args[1]) || value.Nullish(args[2]) {
			return value.Null, err
		}
		u, err := unitOf(args[1])
		if err != nil {
			return missing, err
		}
		amount, ok := number.Whole(args[2])
		if !ok || amount > 1<<40 || amount < -1<<40 {
			return missing, status.Errorf(5166405, "$dateAdd expects integer amount of time units")
		}
		n := int(amount) * sign
		switch {
		case u.months > 0:
			t = addMonths(t, n*u.months)
		case u.days > 0:
			t = t.AddDate(0, 0, n*u.days)
		default:
			return value.DateTime(t.UnixMilli() + int64(n)*u.length.Milliseconds()), nil
		}
		return value.DateTime(t.UnixMilli()), nil
	}
}

// addMonths stays in the month: a day that it lacks becomes its last day.
func addMonths(t time.Time, n int) time.Time {
	first := time.Date(t.Year(), t.Month()+time.Month(n), 1, t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), t.Location())
	last := first.AddDate(0, 1, -1).Day()
	return first.AddDate(0, 0, min(t.Day(), last)-1)
}

var weekdays = map[string]time.Weekday{
	"sun": time.Sunday, "mon": time.Monday, "tue": time.Tuesday, "wed": time.Wednesday, "thu": time.Thursday, "fri": time.Friday,
	"sat": time.Saturday,
}

func weekStart(v bson.RawValue) (time.Weekday, error) {
	if value.Nullish(v) {
		return time.Sunday, nil
	}
	s := strings.ToLower(value.Text(v))
	d, ok := weekdays[s[:min(3, len(s))]]
	if !ok {
		return 0, status.Errorf(5439015, "parameter 'startOfWeek' value cannot be recognized as a day of a week: %s", value.Text(v))
	}
	return d, nil
}

// dayNumber counts days by the calendar.
func dayNumber(t time.Time) int {
	return int(time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC).Unix() / 86400)
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b != 0 && (a < 0) != (b < 0) {
		q--
	}
	return q
}

func dateDiff(_ *Env, args []bson.RawValue, _ []bool) (bson.RawValue, error) {
	from, ok, err := dateOf(args[0], args[3])
	if !ok || err != nil {
		return value.Null, err
	}
	to, ok, err := dateOf(args[1], args[3])
	if !ok || err != nil || value.Nullish(args[2]) {
		return value.Null, err
	}
	u, err := unitOf(args[2])
	if err != nil {
		return missing, err
	}
	first, err := weekStart(args[4])
	if err != nil {
		return missing, err
	}
	switch {
	case u.months > 0:
		month := func(t time.Time) int64 { return floorDiv(int64(t.Year())*12+int64(t.Month())-1, int64(u.months)) }
		return value.Int64(month(to) - month(from)), nil
	case u.days == 7:
		// Day 0 of the epoch was a Thursday.
		week := func(t time.Time) int64 { return floorDiv(int64(dayNumber(t))+4-int64(first), 7) }
		return value.Int64(week(to) - week(from)), nil
	case u.days == 1:
		return value.Int64(int64(dayNumber(to) - dayNumber(from))), nil
	}
	ms := u.length.Milliseconds()
	return value.Int64(floorDiv(to.UnixMilli(), ms) - floorDiv(from.UnixMilli(), ms)), nil
}

func dateTrunc(_ *Env, args []bson.RawValue, present []bool) (bson.RawValue, error) {
	t, ok, err := dateOf(args[0], args[3])
	if !ok || err != nil || value.Nullish(args[1]) {
		return value.Null, err
	}
	u, err := unitOf(args[1])
	if err != nil {
		return missing, err
	}
	first, err := weekStart(args[4])
	if err != nil {
		return missing, err
	}
	bin := int64(1)
	if present[2] {
		if bin, ok = number.Whole(args[2]); !ok || bin < 1 || bin > 1<<31 {
			return missing, status.Errorf(5439017, "$dateTrunc requires 'binSize' to be a 64-bit integer greater than 0, but got value '%s' of type %s", status.TextOf(args[2]), value.TypeName(args[2]))
		}
	}
	return value.DateTime(truncate(t, u, bin, first).UnixMilli()), nil
}

// truncate goes back to the beginning of a bin; bins are counted from the beginning of the year 2000.
func truncate(t time.Time, u unit, bin int64, first time.Weekday) time.Time {
	loc := t.Location()
	switch {
	case u.months > 0:
		size := int64(u.months) * bin
		months := floorDiv(int64(t.Year()-2000)*12+int64(t.Month())-1, size) * size
		return time.Date(2000, time.Month(1+months), 1, 0, 0, 0, 0, loc)
	case u.days > 0:
		reference := time.Date(2000, 1, 1, 0, 0, 0, 0, loc)
		if u.days == 7 {
			reference = reference.AddDate(0, 0, (int(first)-int(reference.Weekday())+7)%7)
		}
		size := int64(u.days) * bin
		days := floorDiv(int64(dayNumber(t)-dayNumber(reference)), size) * size
		return reference.AddDate(0, 0, int(days))
	}
	reference := time.Date(2000, 1, 1, 0, 0, 0, 0, loc).UnixMilli()
	size := u.length.Milliseconds() * bin
	return time.UnixMilli(reference + floorDiv(t.UnixMilli()-reference, size)*size)
}
