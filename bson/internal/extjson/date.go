package extjson

import (
	"time"

	"github.com/specdrivers/onion/bson/internal/decimal"
)

// maxRelaxedDate is the last millisecond of the year 9999, the last one that relaxed extended JSON writes as a date.
const maxRelaxedDate = 253402300799999

const dayMillis = 24 * 60 * 60 * 1000

// appendISODate appends a date between 1970 and 9999 as RFC 3339 in UTC, with milliseconds if there are any.
func appendISODate(dst []byte, ms int64) []byte {
	days, rest := ms/dayMillis, int(ms%dayMillis)
	year, month, day := civilDate(int(days))
	dst = appendTwoDigits(appendTwoDigits(dst, year/100), year%100)
	dst = appendTwoDigits(append(dst, '-'), month)
	dst = appendTwoDigits(append(dst, '-'), day)
	seconds, millis := rest/1000, rest%1000
	dst = appendTwoDigits(append(dst, 'T'), seconds/3600)
	dst = appendTwoDigits(append(dst, ':'), seconds/60%60)
	dst = appendTwoDigits(append(dst, ':'), seconds%60)
	if millis != 0 {
		dst = appendTwoDigits(append(dst, '.', byte('0'+millis/100)), millis%100)
	}
	return append(dst, 'Z')
}

func appendTwoDigits(dst []byte, n int) []byte { return append(dst, byte('0'+n/10), byte('0'+n%10)) }

// civilDate returns the date of a day counted from 1970-01-01. Its year begins in March: the leap day comes last, and
// the lengths of months follow (153m+2)/5.
func civilDate(days int) (year, month, day int) {
	const daysPer400Years, daysToMarch0000 = 146097, 719468
	days += daysToMarch0000
	era, dayOfEra := days/daysPer400Years, days%daysPer400Years
	yearOfEra := (dayOfEra - dayOfEra/1460 + dayOfEra/36524 - dayOfEra/146096) / 365
	dayOfYear := dayOfEra - (365*yearOfEra + yearOfEra/4 - yearOfEra/100)
	m := (5*dayOfYear + 2) / 153
	day = dayOfYear - (153*m+2)/5 + 1
	year, month = era*400+yearOfEra, m+3
	if month > 12 {
		return year + 1, month - 12, day
	}
	return year, month, day
}

// ParseISODate parses RFC 3339 with any number of fractional digits, the first three of which count, and a zone that is
// Z or an offset with or without a colon.
func ParseISODate(s []byte) (ms int64, ok bool) {
	const layout = "dddd-dd-ddTdd:dd:dd"
	if len(s) < len(layout)+1 || !matchesDate(s, layout) {
		return 0, false
	}
	year, month, day := twoDigits(s)*100+twoDigits(s[2:]), twoDigits(s[5:]), twoDigits(s[8:])
	hour, minute, second := twoDigits(s[11:]), twoDigits(s[14:]), twoDigits(s[17:])
	millis, zone := fractionMillis(s[len(layout):])
	offset, ok := zoneMinutes(zone)
	if !ok || hour > 23 || minute > 59 || second > 59 {
		return 0, false
	}
	t := time.Date(year, time.Month(month), day, hour, minute, second, 0, time.UTC)
	if t.Month() != time.Month(month) || t.Day() != day { // a day that the month does not have
		return 0, false
	}
	return t.UnixMilli() + int64(millis) - int64(offset)*60_000, true
}

func matchesDate(s []byte, layout string) bool {
	for i := range len(layout) {
		switch c := s[i]; layout[i] {
		case 'd':
			if !decimal.IsDigit(c) {
				return false
			}
		case 'T':
			if c|0x20 != 't' {
				return false
			}
		default:
			if c != layout[i] {
				return false
			}
		}
	}
	return true
}

func twoDigits(s []byte) int { return int(s[0]-'0')*10 + int(s[1]-'0') }

// fractionMillis reads an optional fraction of a second and returns what follows it.
func fractionMillis(s []byte) (millis int, rest []byte) {
	if len(s) < 2 || s[0] != '.' || !decimal.IsDigit(s[1]) {
		return 0, s
	}
	i, unit := 1, 100
	for ; i < len(s) && decimal.IsDigit(s[i]); i++ {
		millis += int(s[i]-'0') * unit
		unit /= 10
	}
	return millis, s[i:]
}

func zoneMinutes(s []byte) (minutes int, ok bool) {
	if len(s) == 1 && s[0]|0x20 == 'z' {
		return 0, true
	}
	if len(s) == 6 && s[3] == ':' {
		s = []byte{s[0], s[1], s[2], s[4], s[5]}
	}
	if len(s) != 5 || !decimal.IsDigit(s[1]) || !decimal.IsDigit(s[2]) || !decimal.IsDigit(s[3]) || !decimal.IsDigit(s[4]) {
		return 0, false
	}
	hours, minutes := twoDigits(s[1:]), twoDigits(s[3:])
	if hours > 23 || minutes > 59 {
		return 0, false
	}
	switch s[0] {
	case '+':
		return hours*60 + minutes, true
	case '-':
		return -hours*60 - minutes, true
	default:
		return 0, false
	}
}
