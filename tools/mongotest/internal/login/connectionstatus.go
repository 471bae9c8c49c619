// The command connectionStatus: shows who has authenticated on the connection, with their roles and privileges.

package login

import (
	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/tools/mongotest/internal/call"
	"github.com/specdrivers/onion/tools/mongotest/internal/reply"
)

// RunConnectionStatus answers connectionStatus.
func (d *Directory) RunConnectionStatus(c *call.Call, s *State) (bson.Raw, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	users, names := bson.A{}, []RoleName{}
	for _, p := range s.Principals {
		users = append(users, bson.Doc("user", p.Name, "db", p.DB))
		names = append(names, d.rolesOf(p)...)
	}
	info := bson.Doc("authenticatedUsers", users, "authenticatedUserRoles", namesOf(d.inheritedRoles(names)))
	if c.Flag("showPrivileges") {
		info = append(info, bson.E{Key: "authenticatedUserPrivileges", Value: documentsOf(d.privilegesOf(names))})
	}
	return reply.New().Value("authInfo", info).Done(), nil
}
