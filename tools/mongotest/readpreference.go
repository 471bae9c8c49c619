package mongotest

import (
	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	selecttable "github.com/specdrivers/onion/generated/core/selection"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
)

// checkReadPreference refuses a $readPreference that makes no sense. A mongos would look for a member of the shard by it;
// here every one is found.
func (r *request) checkReadPreference() error {
	value := r.field("$readPreference")
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
		return r.badMode(text)
	}
	if err := checkHedge(preference.Lookup("hedge"), mode); err != nil {
		return err
	}
	if err := checkTags(preference.Lookup("tags"), mode); err != nil {
		return err
	}
	return checkStaleness(preference.Lookup("maxStalenessSeconds"), mode)
}

// badMode says which modes there are: in 4.2 as text that cannot be parsed, later as a value that is none of them.
func (r *request) badMode(mode string) error {
	message := "Could not parse $readPreference mode '" + mode + "'. Only the modes '" + options.Primary.String() + "', '" +
		options.PrimaryPreferred.String() + "', '" + options.Secondary.String() + "', '" + options.SecondaryPreferred.String() +
		"', and '" + options.Nearest.String() + "' are supported."
	if !r.d.wireAtLeast("4.4") {
		return status.Errorf(errcode.FailedToParse, "%s", message)
	}
	return status.Errorf(errcode.BadValue, "%s :: caused by :: Enumeration value '%s' for field 'mode' is not a valid value.", message, mode)
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

// checkTags lets a primary have no tags but those that anybody has.
func checkTags(tags bson.RawValue, mode options.ReadPreferenceMode) error {
	if tags.IsZero() {
		return nil
	}
	if tags.Type != bsontype.Array {
		return status.Errorf(errcode.TypeMismatch, "\"tags\" had the wrong type. Expected array, found %s", tags.Type)
	}
	sets := docsOf(tags)
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
