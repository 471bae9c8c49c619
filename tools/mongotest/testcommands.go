// The commands testVersion2, which is in API version 2 alone, and testDeprecationInVersion2, which is deprecated there.

package mongotest

import "github.com/specdrivers/onion/bson"

func testVersion2(*request) (bson.Raw, error)    { return newReply().done(), nil }
func testDeprecation(*request) (bson.Raw, error) { return newReply().done(), nil }
