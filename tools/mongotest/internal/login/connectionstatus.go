// The command connectionStatus: who has authenticated on the connection, with which roles.
//
// Left out: privileges.

package login

import (
	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/tools/mongotest/internal/call"
	"github.com/specdrivers/onion/tools/mongotest/internal/reply"
)

// RunConnectionStatus answers connectionStatus.
func (d *Directory) RunConnectionStatus(c *call.Call, s *State) (bson.Raw, error) {
	if err := c.CheckArguments("showPrivileges:bool"); err != nil {
		return nil, err
	}
	users, roles := bson.A{}, bson.A{}
	for _, p := range s.Principals {
		users = append(users, bson.Doc("user", p.Name, "db", p.DB))
		if stored := d.find(p.DB, p.Name); stored != nil {
			for _, role := range stored.Roles {
				roles = append(roles, role)
			}
		}
	}
	info := bson.Doc("authenticatedUsers", users, "authenticatedUserRoles", roles)
	if c.Flag("showPrivileges") {
		info = append(info, bson.E{Key: "authenticatedUserPrivileges", Value: bson.A{}})
	}
	return reply.New().Value("authInfo", info).Done(), nil
}
