// The command ping: the server is there.

package mongotest

import "github.com/specdrivers/onion/bson"

func ping(*request) (bson.Raw, error) { return newReply().done(), nil }
