// The command _mergeAuthzCollections: takes users and roles from two collections, as mongorestore does at the end.

package server

import (
	"context"
	"slices"
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/login"
	"github.com/specdrivers/onion/tools/mongotest/internal/reply"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
)

func mergeAuthzCollections(_ context.Context, r *request) (bson.Raw, error) {
	users, roles := r.Text("tempUsersCollection"), r.Text("tempRolesCollection")
	if users == "" && roles == "" {
		return nil, status.Errorf(errcode.BadValue,
			`Must provide at least one of "tempUsersCollection" and "tempRolesCollection"`)
	}
	if err := r.cluster.Users.Merge(r.Text("db"), r.Flag("drop"), r.readDocuments(users), r.readDocuments(roles)); err != nil {
		return nil, err
	}
	return reply.OK(), nil
}

// readDocuments returns the documents of a collection that is named in full. Without a name they are nil.
func (r *request) readDocuments(namespace string) []bson.Raw {
	if namespace == "" {
		return nil
	}
	db, name, _ := strings.Cut(namespace, ".")
	list := []bson.Raw{}
	if c := r.node.latestSnapshot().Collection(db, name); c != nil {
		scan := c.Scan(0)
		for rec := scan.Next(); rec != nil; rec = scan.Next() {
			list = append(list, rec.Doc)
		}
	}
	return list
}

// mergeNeeds returns the privileges that a server requires in every database, and that the role restore has.
func mergeNeeds(r *request) []login.Need {
	list := needsOf(login.Resource{DB: "admin"}, "createUser", "createRole", "grantRole", "revokeRole")
	if r.Flag("drop") {
		list = slices.Concat(list, needsOf(login.Resource{DB: "admin"}, "dropUser", "dropRole"))
	}
	return list
}
