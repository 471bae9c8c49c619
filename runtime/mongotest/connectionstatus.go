package mongotest

import (
	"github.com/specdrivers/onion/bson"
)

// connectionStatus answers who is authenticated on the connection. Left out: privileges.
func connectionStatus(r *request) (bson.Raw, error) {
	users := bson.A{}
	for _, p := range r.conn.principals {
		users = append(users, bson.Doc("user", p.name, "db", p.db))
	}
	return newReply().value("authInfo", bson.Doc("authenticatedUsers", users, "authenticatedUserRoles", bson.A{})).done(), nil
}
