// The command connectionStatus: who is authenticated on the connection, with which roles.
//
// Left out: privileges, of which there are none to show.

package mongotest

import "github.com/specdrivers/onion/bson"

func connectionStatus(r *request) (bson.Raw, error) {
	if err := r.checkArguments("showPrivileges:bool"); err != nil {
		return nil, err
	}
	users, roles := bson.A{}, bson.A{}
	for _, p := range r.conn.principals {
		users = append(users, bson.Doc("user", p.name, "db", p.db))
		if stored := r.d.users.find(p.db, p.name); stored != nil {
			for _, role := range stored.Roles {
				roles = append(roles, role)
			}
		}
	}
	info := bson.Doc("authenticatedUsers", users, "authenticatedUserRoles", roles)
	if r.flag("showPrivileges") {
		info = append(info, bson.E{Key: "authenticatedUserPrivileges", Value: bson.A{}})
	}
	return newReply().value("authInfo", info).done(), nil
}
