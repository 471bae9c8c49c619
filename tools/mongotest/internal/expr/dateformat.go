package expr

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	_ "time/tzdata"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

// toSpecifiers and fromSpecifiers are the characters that may follow a % in a format.
const (
	toSpecifiers   = "dGHjLmMSuUVwYzZbB%"
	fromSpecifiers = "dGHjLmMSuVYzZbB%"
)

// checkFormat refuses a format that has any other character after a %.
func checkFormat(format, specifiers string) error {
	for i := 0; i < len(format); i++ {
		if format[i] != '%' {
			continue
		}
		if i++; i == len(format) {
			return status.Errorf(18535, "Unmatched '%%' at end of format string")
		}
		if !strings.ContainsRune(specifiers, rune(format[i])) {
			return status.Errorf(18536, "Invalid format character '%%%c' in format string", format[i])
		}
	}
	return nil
}

// formatDate prints a date in a format that checkFormat has accepted.
func formatDate(t time.Time, format string) (string, error) {
	var b strings.Builder
	for i := 0; i < len(format); i++ {
		if format[i] != '%' {
			b.WriteByte(format[i])
			continue
		}
		i++
		if err := yearInText(t); err != nil && format[i] == 'Y' {
			return "", err
		}
		b.WriteString(formatSpecifier(t, format[i]))
	}
	return b.String(), nil
}

// outsideYears is the code for a date whose year cannot be written with four digits.
const outsideYears = 18537

func yearInText(t time.Time) error {
	if y := t.Year(); y < 0 || y > 9999 {
		return status.Errorf(outsideYears,
			"Could not convert date to string: date component was outside the supported range of 0-9999: %d", y)
	}
	return nil
}

func formatSpecifier(t time.Time, specifier byte) string {
	isoYear, isoWeek := t.ISOWeek()
	switch specifier {
	case 'Y':
		return fmt.Sprintf("%04d", t.Year())
	case 'm':
		return fmt.Sprintf("%02d", int(t.Month()))
	case 'd':
		return fmt.Sprintf("%02d", t.Day())
	case 'H':
		return fmt.Sprintf("%02d", t.Hour())
	case 'M':
		return fmt.Sprintf("%02d", t.Minute())
	case 'S':
		return fmt.Sprintf("%02d", t.Second())
	case 'L':
		return fmt.Sprintf("%03d", t.Nanosecond()/1e6)
	case 'j':
		return fmt.Sprintf("%03d", t.YearDay())
	case 'w':
		return strconv.Itoa(int(t.Weekday()) + 1)
	case 'u':
		return strconv.Itoa((int(t.Weekday())+6)%7 + 1)
	case 'U':
		return fmt.Sprintf("%02d", weekOfYear(t))
	case 'V':
		return fmt.Sprintf("%02d", isoWeek)
	case 'G':
		return fmt.Sprintf("%04d", isoYear)
	case 'B':
		return t.Month().String()
	case 'b':
		return t.Month().String()[:3]
	case 'z', 'Z':
		return offsetText(t, specifier)
	}
	return "%"
}

// offsetText prints the offset from UTC in hours and minutes, or in minutes.
func offsetText(t time.Time, specifier byte) string {
	_, offset := t.Zone()
	sign := '+'
	if offset < 0 {
		sign, offset = '-', -offset
	}
	if specifier == 'Z' {
		return strings.TrimPrefix(fmt.Sprintf("%c%d", sign, offset/60), "+")
	}
	return fmt.Sprintf("%c%02d%02d", sign, offset/3600, offset%3600/60)
}

func parseError(s, why string) error {
	return status.Errorf(errcode.ConversionFailure, "Error parsing date string '%s'; %s", s, why)
}

// fields collects the values that parseFormat reads; -1 means absent.
type fields struct {
	year, month, day, hour, minute, second, ms int
	isoYear, isoWeek, isoDay, yearDay          int
	offset                                     int // in seconds
	zoned                                      bool
}

// parseFormat reads a date in a format that checkFormat has accepted.
func parseFormat(s, format string, zone *time.Location) (time.Time, error) {
	f := fields{year: -1, month: -1, day: -1, isoYear: -1, isoWeek: -1, isoDay: 1, yearDay: -1}
	rest := s
	for i := 0; i < len(format); i++ {
		c := format[i]
		if c == '%' && i+1 < len(format) {
			i++
			c = format[i]
		} else if rest == "" || rest[0] != c {
			return time.Time{}, parseError(s, "Format literal not found")
		} else {
			rest = rest[1:]
			continue
		}
		var ok bool
		if rest, ok = f.read(rest, c); !ok {
			return time.Time{}, parseError(s, "Not enough data available to satisfy format")
		}
	}
	if rest != "" {
		return time.Time{}, parseError(s, "Trailing data")
	}
	if f.zoned && zone != nil {
		return time.Time{}, parseError(s, "you cannot pass in a date/time string with GMT offset together with a timezone argument")
	}
	return f.time(s, zone)
}

// read consumes the text of one specifier.
func (f *fields) read(rest string, specifier byte) (string, bool) {
	digits := map[byte]struct {
		field *int
		width int
	}{
		'Y': {&f.year, 4}, 'm': {&f.month, 2}, 'd': {&f.day, 2}, 'H': {&f.hour, 2}, 'M': {&f.minute, 2}, 'S': {&f.second, 2},
		'L': {&f.ms, 3}, 'G': {&f.isoYear, 4}, 'V': {&f.isoWeek, 2}, 'u': {&f.isoDay, 1}, 'j': {&f.yearDay, 3},
	}
	if d, ok := digits[specifier]; ok {
		n := 0
		for n < d.width && n < len(rest) && rest[n] >= '0' && rest[n] <= '9' {
			n++
		}
		var err error
		*d.field, err = strconv.Atoi(rest[:n])
		for digits := n; specifier == 'L' && digits < d.width; digits++ {
			*d.field *= 10 // a fraction of a second
		}
		return rest[n:], err == nil
	}
	switch specifier {
	case '%':
		return strings.CutPrefix(rest, "%")
	case 'b', 'B':
		for m := time.January; m <= time.December; m++ {
			name := m.String()
			if specifier == 'b' {
				name = name[:3]
			}
			if len(rest) >= len(name) && strings.EqualFold(rest[:len(name)], name) {
				f.month = int(m)
				return rest[len(name):], true
			}
		}
		return rest, false
	}
	return f.readZone(rest, specifier)
}

// readZone reads an offset: minutes for Z, a time for z.
func (f *fields) readZone(rest string, specifier byte) (string, bool) {
	n := strings.IndexFunc(rest, func(r rune) bool { return !strings.ContainsRune("+-0123456789:Z", r) })
	if n < 0 {
		n = len(rest)
	}
	text := rest[:n]
	f.zoned = true
	if text == "Z" && specifier == 'z' {
		return rest[n:], true
	}
	if specifier == 'Z' {
		minutes, err := strconv.Atoi(text)
		f.offset = minutes * 60
		return rest[n:], err == nil && minutes > -1440 && minutes < 1440
	}
	loc, err := zoneOf(value.String(text))
	if err != nil || text == "" {
		return rest, false
	}
	_, f.offset = time.Time{}.In(loc).Zone()
	return rest[n:], true
}

// time combines the fields into a time.
func (f *fields) time(s string, zone *time.Location) (time.Time, error) {
	if f.zoned {
		zone = time.FixedZone("", f.offset)
	} else if zone == nil {
		zone = time.UTC
	}
	switch {
	case f.hour > 23 || f.minute > 59 || f.second > 59 || f.month == 0 || f.month > 12 || f.day == 0 || f.day > 31:
		return time.Time{}, parseError(s, "The parsed date was invalid")
	case f.isoYear >= 0:
		fourth := time.Date(f.isoYear, 1, 4, 0, 0, 0, 0, time.UTC)
		f.year, f.month, f.day = f.isoYear, 1, 4-(int(fourth.Weekday())+6)%7+(max(f.isoWeek, 1)-1)*7+f.isoDay-1
	case f.yearDay >= 0:
		f.month, f.day = 1, f.yearDay
	case f.year < 0 || f.month < 0 || f.day < 0:
		return time.Time{}, parseError(s, "an incomplete date/time string has been found, with elements missing")
	}
	return time.Date(f.year, time.Month(f.month), f.day, f.hour, f.minute, f.second, f.ms*1e6, zone), nil
}

// weekOfYear counts from the first Sunday of the year.
func weekOfYear(t time.Time) int { return (t.YearDay() + 6 - int(t.Weekday())) / 7 }

// zoneOf reads a time zone: a name, or an offset such as +05:30.
func zoneOf(v bson.RawValue) (*time.Location, error) {
	name, ok := v.StringOK()
	if !ok {
		return nil, status.Errorf(40517, "timezone must evaluate to a string, found %s", v.Type)
	}
	if name != "" && (name[0] == '+' || name[0] == '-') {
		digits := strings.Replace(name[1:], ":", "", 1)
		n, err := strconv.ParseUint(digits, 10, 16)
		switch {
		case err != nil || len(digits) != 2 && len(digits) != 4:
			return nil, status.Errorf(40485, "unrecognized time zone identifier: \"%s\"", name)
		case len(digits) == 2:
			n *= 100
		}
		seconds := int(n/100*3600 + n%100*60)
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
