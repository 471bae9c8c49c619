// The command whatsmyuri: the client's own address.

package mongotest

import "github.com/specdrivers/onion/bson"

func whatsMyURI(r *request) (bson.Raw, error) {
	return newReply().str("you", r.conn.nc.RemoteAddr().String()).done(), nil
}
