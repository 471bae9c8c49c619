package expr

import (
	"math"
	"strings"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/number"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

// unit is a unit of time: a number of months, a number of days, or a fixed length.
type unit struct {
	months, days int
	length       time.Duration
}

var units = map[string]unit{
	"year": {months: 12}, "quarter": {months: 3}, "month": {months: 1}, "week": {days: 7}, "day": {days: 1},
	"hour": {length: time.Hour}, "minute": {length: time.Minute}, "second": {length: time.Second},
	"millisecond": {length: time.Millisecond},
}

// unitOf reads a unit of time for an operator.
func unitOf(op string, v bson.RawValue) (unit, error) {
	name, ok := v.StringOK()
	if !ok {
		return unit{}, status.Errorf(5439013, "%s requires 'unit' to be a string, but got %s", op, value.TypeName(v))
	}
	u, known := units[name]
	if !known {
		return unit{}, status.Errorf(errcode.FailedToParse,
			"%s parameter 'unit' value parsing failed :: caused by :: unknown time unit value: %s", op, name)
	}
	return u, nil
}

var intervals = map[string]namedFunction{
	"$dateAdd":      {dateAddSignature, dateAdd("$dateAdd", 1)},
	"$dateSubtract": {dateAddSignature, dateAdd("$dateSubtract", -1)},
	"$dateDiff": {signature{
		names:   []string{"startDate", "endDate", "unit", "timezone", "startOfWeek"},
		lazy:    3,
		object:  refusal{5166301, "{op} only supports an object as its argument"},
		unknown: refusal{5166302, "Unrecognized argument to {op}: {arg}"},
		missing: []refusal{
			{5166303, "Missing '{arg}' parameter to {op}"},
			{5166304, "Missing '{arg}' parameter to {op}"},
			{5166305, "Missing '{arg}' parameter to {op}"},
		},
	}, dateDiff},
	"$dateTrunc": {signature{
		names:  []string{"date", "unit", "binSize", "timezone", "startOfWeek"},
		lazy:   3,
		object: refusal{5439007, "{op} only supports an object as its argument"},
		unknown: refusal{5439008, "Unrecognized argument to {op}: {arg}. " +
			"Expected arguments are date, unit, and optionally, binSize, timezone, startOfWeek"},
		missing: []refusal{{5439009, "Missing '{arg}' parameter to {op}"}, {5439010, "Missing '{arg}' parameter to {op}"}},
	}, dateTrunc},
}

var dateAddSignature = signature{
	names:  []string{"startDate", "unit", "amount", "timezone"},
	lazy:   3,
	object: refusal{5166400, "{op} expects an object as its argument"},
	unknown: refusal{5166401, "Unrecognized argument to {op}: {arg}. " +
		"Expected arguments are startDate, unit, amount, and optionally timezone."},
	missing: []refusal{addsNothing, addsNothing, addsNothing},
}

var addsNothing = refusal{5166402, "{op} requires startDate, unit, and amount to be present"}

func dateAdd(op string, sign int64) func(*Env, []bson.RawValue, presentArguments) (bson.RawValue, error) {
	return func(env *Env, args []bson.RawValue, g presentArguments) (bson.RawValue, error) {
		if value.IsNullish(args[0]) || value.IsNullish(args[1]) {
			return value.Null, nil
		}
		u, err := unitOf(op, args[1])
		if err != nil || value.IsNullish(args[2]) {
			return value.Null, err
		}
		zone, ok, err := g.evaluateZone(env, 3)
		if !ok || err != nil {
			return value.Null, err
		}
		if !holdsDate(args[0]) {
			return missing, status.Errorf(5166403, "%s requires startDate to be convertible to a date", op)
		}
		amount, ok := number.ExactInt64(args[2])
		switch {
		case !ok:
			return missing, status.Errorf(5166405, "%s expects integer amount of time units", op)
		case sign < 0 && amount == math.MinInt64:
			return missing, status.Errorf(6045000, "%s: the amount %d has no opposite", op, amount)
		}
		ms, err := coerceDate(args[0])
		if err != nil {
			return missing, err
		}
		out, err := u.add(time.UnixMilli(ms).In(zone), sign, amount)
		return value.DateTime(out), err
	}
}

// add moves a time forward or back by an amount of units. It returns milliseconds since the epoch.
func (u unit) add(t time.Time, sign, amount int64) (int64, error) {
	// The length is an upper bound of the unit, so an amount that passes the check cannot overflow.
	length := max(u.length.Milliseconds(), int64(u.days)*86_400_000, int64(u.months)*31*86_400_000)
	if limit := (math.MaxInt64/4 - max(t.UnixMilli(), -t.UnixMilli())) / length; amount > limit || amount < -limit {
		return 0, status.Errorf(5976500, "invalid dateAdd 'amount' parameter value: %d", sign*amount)
	}
	n := sign * amount
	switch {
	case u.months > 0:
		return addMonths(t, int(n)*u.months).UnixMilli(), nil
	case u.days > 0:
		return t.AddDate(0, 0, int(n)*u.days).UnixMilli(), nil
	}
	return t.UnixMilli() + n*u.length.Milliseconds(), nil
}

// addMonths stays within the target month: a day that this month lacks becomes its last day.
func addMonths(t time.Time, n int) time.Time {
	first := time.Date(t.Year(), t.Month()+time.Month(n), 1, t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), t.Location())
	last := first.AddDate(0, 1, -1).Day()
	return first.AddDate(0, 0, min(t.Day(), last)-1)
}

var weekdays = map[string]time.Weekday{
	"sun": time.Sunday, "mon": time.Monday, "tue": time.Tuesday, "wed": time.Wednesday, "thu": time.Thursday, "fri": time.Friday,
	"sat": time.Saturday,
}

// evaluateWeekStart evaluates the argument that names a day of the week. ok is false for null. Only the unit week uses it.
func (g presentArguments) evaluateWeekStart(env *Env, op string, u unit) (d time.Weekday, ok bool, err error) {
	if u.days != 7 || !g.has(4) {
		return time.Sunday, true, nil
	}
	v, err := g[4](env)
	switch {
	case err != nil || value.IsNullish(v):
		return 0, false, err
	case v.Type != bsontype.String:
		return 0, false, status.Errorf(5439015, "%s requires 'startOfWeek' to be a string, but got %s", op, v.Type)
	}
	name := strings.ToLower(value.Text(v))
	if d, ok = weekdays[name[:min(3, len(name))]]; !ok || len(name) > 3 && name != strings.ToLower(d.String()) {
		return 0, false, status.Errorf(5439016,
			"%s parameter 'startOfWeek' value cannot be recognized as a day of a week: %s", op, value.Text(v))
	}
	return d, true, nil
}

// evaluateZoneFor is zone with the name of the operator in its errors.
func (g presentArguments) evaluateZoneFor(env *Env, op string) (*time.Location, bool, error) {
	zone, ok, err := g.evaluateZone(env, 3)
	if err != nil {
		e := *status.From(err)
		e.Message = op + " parameter 'timezone' value parsing failed :: caused by :: " + e.Message
		return nil, false, &e
	}
	return zone, ok, nil
}

// readDate reads a date that an operator requires.
func readDate(op, name string, v bson.RawValue, zone *time.Location) (time.Time, error) {
	if !holdsDate(v) {
		return time.Time{}, status.Errorf(5166307, "%s requires '%s' to be a date, but got %s", op, name, value.TypeName(v))
	}
	ms, err := coerceDate(v)
	return time.UnixMilli(ms).In(zone), err
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

func dateDiff(env *Env, args []bson.RawValue, g presentArguments) (bson.RawValue, error) {
	if anyNull(args) {
		return value.Null, nil
	}
	u, err := unitOf("$dateDiff", args[2])
	if err != nil {
		return missing, err
	}
	first, ok, err := g.evaluateWeekStart(env, "$dateDiff", u)
	if !ok || err != nil {
		return value.Null, err
	}
	zone, ok, err := g.evaluateZoneFor(env, "$dateDiff")
	if !ok || err != nil {
		return value.Null, err
	}
	from, err := readDate("$dateDiff", "startDate", args[0], zone)
	if err != nil {
		return missing, err
	}
	to, err := readDate("$dateDiff", "endDate", args[1], zone)
	if err != nil {
		return missing, err
	}
	return value.Int64(u.ordinal(to, first) - u.ordinal(from, first)), nil
}

// ordinal counts the units that have begun since a fixed moment.
func (u unit) ordinal(t time.Time, first time.Weekday) int64 {
	switch {
	case u.months > 0:
		return floorDiv(int64(t.Year())*12+int64(t.Month())-1, int64(u.months))
	case u.days == 7:
		// The epoch began on a Thursday.
		return floorDiv(int64(dayNumber(t))+4-int64(first), 7)
	case u.days == 1:
		return int64(dayNumber(t))
	}
	// An hour begins where the zone's clock shows it. In some zones that is not the full hour of UTC.
	_, offset := t.Zone()
	ms := u.length.Milliseconds()
	return floorDiv(t.UnixMilli()+int64(offset)*1000%ms, ms)
}

func dateTrunc(env *Env, args []bson.RawValue, g presentArguments) (bson.RawValue, error) {
	if value.IsNullish(args[0]) || g.has(2) && value.IsNullish(args[2]) {
		return value.Null, nil
	}
	bin := int64(1)
	if g.has(2) {
		var ok bool
		if bin, ok = number.ExactInt64(args[2]); !ok {
			return missing, status.Errorf(5439017,
				"$dateTrunc requires 'binSize' to be a 64-bit integer, but got value '%s' of type %s", status.TextOf(args[2]), args[2].Type)
		}
		if bin < 1 {
			return missing, status.Errorf(5439018, "$dateTrunc requires 'binSize' to be greater than 0, but got value %d", bin)
		}
	}
	if value.IsNullish(args[1]) {
		return value.Null, nil
	}
	u, err := unitOf("$dateTrunc", args[1])
	if err != nil {
		return missing, err
	}
	first, ok, err := g.evaluateWeekStart(env, "$dateTrunc", u)
	if !ok || err != nil {
		return value.Null, err
	}
	zone, ok, err := g.evaluateZoneFor(env, "$dateTrunc")
	if !ok || err != nil {
		return value.Null, err
	}
	t, err := readDate("$dateTrunc", "date", args[0], zone)
	if err != nil {
		return missing, err
	}
	if err := u.checkBin(bin); err != nil {
		return missing, err
	}
	// A bin of a million years contains every date that can be written.
	return value.DateTime(truncate(t, u, min(bin, u.largestAmount()), first).UnixMilli()), nil
}

// checkBin refuses a bin whose length a server cannot count.
func (u unit) checkBin(bin int64) error {
	const most = 100_000_000_000 // days or months
	tooLarge := func(code errcode.Code) error {
		return status.Errorf(code, "$dateTrunc: 'binSize' is too large, it is %d", bin)
	}
	switch {
	case u.months > 0 && bin > most:
		return tooLarge(5439006)
	case u.days > 0 && bin > most:
		return tooLarge(5439005)
	case u.length > 0 && bin > math.MaxInt64/u.length.Milliseconds():
		return tooLarge(5439002)
	}
	return nil
}

// largestAmount returns a million years in units.
func (u unit) largestAmount() int64 {
	switch {
	case u.months > 0:
		return 12_000_000 / int64(u.months)
	case u.days > 0:
		return 366_000_000 / int64(u.days)
	}
	return 366_000_000 * 86_400_000 / u.length.Milliseconds()
}

// truncate goes back to the beginning of a bin. Bins count from the beginning of the year 2000.
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
