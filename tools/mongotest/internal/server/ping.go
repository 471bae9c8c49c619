// The commands ping and whatsmyuri: the server is there, and this is the client's own address. A server in tests also has
// testVersion2, which only API version 2 has, and testDeprecationInVersion2, which is deprecated there.

package server

import (
	"context"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/tools/mongotest/internal/reply"
)

func ping(context.Context, *request) (bson.Raw, error) { return reply.OK(), nil }

func whatsMyURI(_ context.Context, r *request) (bson.Raw, error) {
	return reply.New().String("you", r.conn.nc.RemoteAddr().String()).Done(), nil
}
