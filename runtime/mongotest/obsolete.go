package mongotest

import (
	"github.com/specdrivers/onion/bson"
)

// getNonce answers with a number that nothing uses any more.
func getNonce(*request) (bson.Raw, error) {
	return newReply().str("nonce", bson.NewObjectID().Hex()[:16]).done(), nil
}

// getLog answers with an empty log.
func getLog(*request) (bson.Raw, error) {
	return newReply().int32("totalLinesWritten", 0).value("log", bson.A{}).done(), nil
}
