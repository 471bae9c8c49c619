package mongotest

import (
	"github.com/specdrivers/onion/bson"
)

// ping answers that the server is there.
func ping(*request) (bson.Raw, error) { return newReply().done(), nil }
