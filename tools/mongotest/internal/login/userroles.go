package login

import (
	"slices"

	"github.com/specdrivers/onion/bson"
)

// UserRoles returns the roles of a connection's users and those that they inherit, as $$USER_ROLES shows them.
func (d *Directory) UserRoles(s *State) bson.A {
	d.mu.Lock()
	defer d.mu.Unlock()
	var names []RoleName
	for _, p := range s.Principals {
		names = append(names, d.rolesOf(p)...)
	}
	list := bson.A{}
	for _, n := range slices.SortedFunc(slices.Values(d.inheritedRoles(names)), compareNames) {
		list = append(list, append(bson.Doc("_id", n.DB+"."+n.Name), n.document()...))
	}
	return list
}
