package expr

import (
	"regexp"
	"strings"
	"time"

	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

// dateLayouts are the formats that parseDate tries without a given format. They are the common ones among those that
// the server knows.
var dateLayouts = [...]string{
	"2006-01-02T15:04:05.999999999Z07:00", "2006-01-02T15:04:05.999999999Z0700", "2006-01-02T15:04:05.999999999Z07",
	"2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05.999999999Z07:00", "2006-01-02 15:04:05.999999999 Z07:00",
	"2006-01-02 15:04:05.999999999Z0700", "2006-01-02 15:04:05.999999999 Z0700", "2006-01-02 15:04:05.999999999",
	"2006-01-02T15:04Z07:00", "2006-01-02T15:04", "2006-01-02 15:04", "2006-01-02", "2006/01/02", "2006/1/2", "2006-1-2",
	"01/02/2006", "1/2/2006", "02-01-2006", "2-1-2006", "20060102", "20060102T150405", "20060102T150405Z07:00",
	"January 2, 2006", "Jan 2, 2006", "January 2 2006", "Jan 2 2006", "2 January 2006", "2 Jan 2006", "02-Jan-2006",
	"Jan 2, 2006 15:04:05", "2 Jan 2006 15:04:05", "Mon, 02 Jan 2006 15:04:05 -0700", "Mon, 02 Jan 2006 15:04:05 MST",
	"Mon Jan _2 15:04:05 2006",
}

// parseDate reads a date without a format. A nil zone is UTC. A text with its own offset must come without a zone.
func parseDate(s string, zone *time.Location) (time.Time, error) {
	loc := zone
	if zone == nil {
		loc = time.UTC
	}
	for _, layout := range dateLayouts {
		t, err := time.ParseInLocation(layout, s, loc)
		if err != nil {
			continue
		}
		if zone != nil && strings.Contains(layout, "07") && !strings.HasSuffix(s, "Z") {
			return t, parseError(s, "you cannot pass in a date/time string with GMT offset together with a timezone argument")
		}
		if zone != nil && strings.Contains(layout, "07") && zone != time.UTC {
			return t, parseError(s,
				"you cannot pass in a date/time string with time zone information ('Z') together with a timezone argument")
		}
		return t, nil
	}
	if t, ok, err := parseZoned(s, zone); ok {
		return t, err
	}
	return time.Time{}, parseError(s, "0: The timezone could not be found in the database, or the text is not one that mongotest reads")
}

// zonedText is a date, an optional space and a time zone: a name or an abbreviation, which an offset may follow, or an offset.
var zonedText = regexp.MustCompile(
	`^(.*\d)\s*?( ?)(?:([A-Za-z][A-Za-z_]*(?:/[A-Za-z_]+)*)([+-]\d{1,2}(?::?\d{2})?)?|([+-]\d{1,2}(?::?\d{2})?))$`)

// abbreviations are the hours from UTC of zones that texts name by their initials.
var abbreviations = map[string]float64{
	"z": 0, "utc": 0, "gmt": 0, "wet": 0, "west": 1, "bst": 1, "cet": 1, "cest": 2, "eet": 2, "eest": 3, "msk": 3,
	"ist": 5.5, "jst": 9, "kst": 9, "aest": 10, "aedt": 11, "nst": -3.5, "ast": -4, "adt": -3, "est": -5, "edt": -4, "cst": -6,
	"cdt": -5, "mst": -7, "mdt": -6, "pst": -8, "pdt": -7, "akst": -9, "akdt": -8, "hst": -10,
}

// parseZoned reads a date with a time zone that no layout has: separated by a space, or named. ok is false if the text is
// something else.
func parseZoned(s string, zone *time.Location) (t time.Time, ok bool, err error) {
	parts := zonedText.FindStringSubmatch(s)
	if parts == nil {
		return t, false, nil
	}
	date, name, offset := strings.TrimSpace(parts[1]), parts[3], parts[4]+parts[5]
	if name == "" && !strings.Contains(date, ":") {
		return t, false, nil // the end of a date, not an offset
	}
	loc, known := findZone(name, offset)
	if !known {
		return t, false, nil
	}
	if t, err = parseDate(date, loc); err != nil {
		return t, false, nil
	}
	if zone != nil {
		return t, true, parseError(s,
			"you cannot pass in a date/time string with time zone information ('"+name+offset+"') together with a timezone argument")
	}
	return t, true, nil
}

// findZone finds the zone of a name and an offset, each of which may be empty.
func findZone(name, offset string) (*time.Location, bool) {
	hours, short := abbreviations[strings.ToLower(name)]
	switch {
	case offset != "" && (name == "" || short && hours == 0):
		if len(strings.TrimLeft(offset, "+-")) == 1 {
			offset = offset[:1] + "0" + offset[1:]
		}
		loc, err := zoneOf(value.String(offset))
		return loc, err == nil
	case offset != "":
		return nil, false
	case short:
		return time.FixedZone(name, int(hours*3600)), true
	}
	loc, err := time.LoadLocation(name)
	return loc, err == nil && name != "Local"
}
