package concern

import (
	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/core/selecttable"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/tools/mongotest/internal/call"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
)

// CheckReadPreference refuses a $readPreference that contradicts itself. A mongos would use it to pick a member of the
// shard. mongotest has a member for every read preference.
func CheckReadPreference(value bson.RawValue, version int32) error {
	if value.IsZero() {
		return nil
	}
	preference, ok := value.DocumentOK()
	if !ok {
		return status.Errorf(errcode.TypeMismatch, "$readPreference has incorrect type: expected object but got %s", value.Type)
	}
	named := preference.Lookup("mode")
	text, ok := named.StringOK()
	switch {
	case named.IsZero():
		return status.Errorf(errcode.NoSuchKey, "Missing expected field \"mode\"")
	case !ok:
		return status.Errorf(errcode.TypeMismatch, "\"mode\" had the wrong type. Expected string, found %s", named.Type)
	}
	mode, known := options.ParseReadPreferenceMode(text)
	if !known {
		return errBadMode(text, version)
	}
	if err := checkHedge(preference.Lookup("hedge"), mode); err != nil {
		return err
	}
	if err := checkTags(preference.Lookup("tags"), mode); err != nil {
		return err
	}
	return checkStaleness(preference.Lookup("maxStalenessSeconds"), mode)
}

// errBadMode lists the modes that exist. Servers of version 4.2 call the text unparsable, later ones call it a bad value.
func errBadMode(mode string, version int32) error {
	message := "Could not parse $readPreference mode '" + mode + "'. Only the modes '" + options.Primary.String() + "', '" +
		options.PrimaryPreferred.String() + "', '" + options.Secondary.String() + "', '" + options.SecondaryPreferred.String() +
		"', and '" + options.Nearest.String() + "' are supported."
	if version < wire.Server44 {
		return status.Errorf(errcode.FailedToParse, "%s", message)
	}
	return status.Errorf(errcode.BadValue,
		"%s :: caused by :: Enumeration value '%s' for field 'mode' is not a valid value.", message, mode)
}

func checkHedge(hedge bson.RawValue, mode options.ReadPreferenceMode) error {
	if hedge.IsZero() {
		return nil
	}
	doc, ok := hedge.DocumentOK()
	if !ok {
		return status.Errorf(errcode.TypeMismatch, "hedge field must be of type object if provided; found %s", status.TextOf(hedge))
	}
	if off, ok := doc.Lookup("enabled").BooleanOK(); mode == options.Primary && (!ok || off) {
		return status.Errorf(errcode.InvalidOptions, "cannot enable hedging for $readPreference mode \"primaryOnly\"")
	}
	return nil
}

// checkTags refuses tags with mode primary, except the empty ones that every member has.
func checkTags(tags bson.RawValue, mode options.ReadPreferenceMode) error {
	if tags.IsZero() {
		return nil
	}
	if tags.Type != bsontype.Array {
		return status.Errorf(errcode.TypeMismatch, "\"tags\" had the wrong type. Expected array, found %s", tags.Type)
	}
	sets := call.Documents(tags)
	wildcard := len(sets) == 0 || len(sets) == 1 && len(sets[0]) == 5
	if mode == options.Primary && !wildcard {
		return status.Errorf(errcode.BadValue, "Only empty tags are allowed with primary read preference")
	}
	return nil
}

func checkStaleness(value bson.RawValue, mode options.ReadPreferenceMode) error {
	if value.IsZero() {
		return nil
	}
	seconds, ok := value.AsInt64OK()
	least := int64(selecttable.SmallestMaxStaleness.Seconds())
	switch {
	case !ok:
		return status.Errorf(errcode.TypeMismatch, "\"maxStalenessSeconds\" had the wrong type. Expected number, found %s", value.Type)
	case seconds < 0:
		return status.Errorf(errcode.BadValue, "maxStalenessSeconds must be a non-negative integer")
	case seconds > 0 && seconds < least:
		return status.Errorf(errcode.MaxStalenessOutOfRange, "maxStalenessSeconds value can not be less than %d", least)
	case seconds > 0 && mode == options.Primary:
		return status.Errorf(errcode.BadValue, "maxStalenessSeconds can not be set for the primary mode")
	}
	return nil
}

// AllowsSecondary reports whether a $readPreference lets a secondary answer. Without one the primary must.
func AllowsSecondary(value bson.RawValue) bool {
	preference, ok := value.DocumentOK()
	if !ok {
		return false
	}
	mode, _ := preference.Lookup("mode").StringOK()
	return mode != "" && mode != options.Primary.String()
}
