package mongotest

import (
	"github.com/specdrivers/onion/bson"
)

// whatsMyURI answers with the client's own address.
func whatsMyURI(r *request) (bson.Raw, error) {
	return newReply().str("you", r.conn.nc.RemoteAddr().String()).done(), nil
}
