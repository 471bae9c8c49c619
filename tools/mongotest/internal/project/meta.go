package project

import (
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
)

// meta refuses $meta: there are no text or vector searches that leave scores.
func meta(v bson.RawValue) error {
	name, ok := v.StringOK()
	switch {
	case !ok:
		return status.Errorf(17307, "$meta only supports string arguments")
	case name == "textScore":
		return status.Errorf(40218, "query requires text score metadata, but it is not available")
	case name == "geoNearDistance", name == "geoNearPoint":
		return status.Errorf(40218, "query requires $geoNear %s metadata, but it is not available", strings.ToLower(name[len("geoNear"):]))
	}
	for _, known := range [...]string{"searchScore", "searchHighlights", "searchScoreDetails", "searchSequenceToken",
		"vectorSearchScore", "score", "scoreDetails", "recordId", "indexKey", "sortKey", "randVal",
		"timeseriesBucketMinTime", "timeseriesBucketMaxTime"} {
		if name == known {
			return status.Errorf(errcode.CommandNotSupported, "$meta: %q is not supported: mongotest keeps no such metadata", name)
		}
	}
	return status.Errorf(17308, "Unsupported argument to $meta: %s", name)
}
