// The commands ping and whatsmyuri: ping does nothing, and whatsmyuri answers the client's address. A server with test
// commands also has testVersions1And2, testVersion2, which exists only in API version 2, and testDeprecationInVersion2,
// which is deprecated there.

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
