package server

import (
	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/tools/mongotest/internal/reply"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

// rolesOf lists the roles of the users of a connection, for $$USER_ROLES. A command without a connection has none.
func (k *Cluster) rolesOf(caller any) bson.RawValue {
	c, ok := caller.(*conn)
	if !ok {
		return value.ArrayOf()
	}
	return reply.New().Value("roles", k.Users.UserRoles(&c.login)).Done().Lookup("roles")
}
