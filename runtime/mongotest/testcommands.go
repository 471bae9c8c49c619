package mongotest

import (
	"github.com/specdrivers/onion/bson"
)

// testVersion2 is in API version 2 alone; testDeprecation is deprecated there.
func testVersion2(r *request) (bson.Raw, error) { return newReply().done(), nil }

func testDeprecation(r *request) (bson.Raw, error) { return newReply().done(), nil }
