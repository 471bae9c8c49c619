package expr

import (
	"time"

	"github.com/specdrivers/onion/bson"
)

// AddUnits adds an amount of units to a date in milliseconds since the epoch.
func AddUnits(ms int64, unit string, amount int64) (int64, error) {
	return units[unit].add(time.UnixMilli(ms).UTC(), 1, amount)
}

// IsUnit reports whether name is a unit of time.
func IsUnit(name string) bool { _, ok := units[name]; return ok }

// UnitLength returns the length of a unit in milliseconds, or 0 for units of varying length.
func UnitLength(name string) int64 {
	u := units[name]
	return u.length.Milliseconds() + int64(u.days)*86_400_000
}

// CheckUnit reads a unit of time for an operator.
func CheckUnit(op string, v bson.RawValue) error {
	_, err := unitOf(op, v)
	return err
}
