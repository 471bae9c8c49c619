// The command rolesInfo: shows roles, the roles they inherit and their privileges.

package login

import (
	"maps"
	"slices"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/call"
	"github.com/specdrivers/onion/tools/mongotest/internal/reply"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
)

// RunRolesInfo answers rolesInfo. Its value is 1 for the roles of the database, a role, or a list of roles.
func (d *Directory) RunRolesInfo(c *call.Call) (bson.Raw, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	names, err := d.wantedRoles(c)
	if err != nil {
		return nil, err
	}
	if c.Text("showPrivileges") == "asUserFragment" {
		return d.describeAsUser(names), nil
	}
	list := bson.A{}
	for _, n := range names {
		if d.hasRole(n) {
			list = append(list, d.shownRole(n, c.Flag("showPrivileges"), c.Flag("showAuthenticationRestrictions")))
		}
	}
	return reply.New().Value("roles", list).Done(), nil
}

// wantedRoles returns the roles that rolesInfo asks for; d.mu is held.
func (d *Directory) wantedRoles(c *call.Call) ([]RoleName, error) {
	v := c.Value()
	if n, ok := v.AsInt64OK(); ok {
		if n != 1 {
			return nil, status.Errorf(errcode.BadValue, "Can only query for all roles with {rolesInfo: 1}")
		}
		return d.rolesOfDatabase(c.DB, c.Flag("showBuiltinRoles")), nil
	}
	if list, ok := v.ArrayOK(); ok {
		var names []RoleName
		for _, item := range list.All() {
			n, err := readRole(item, c.DB)
			if err != nil {
				return nil, err
			}
			names = append(names, n)
		}
		return names, nil
	}
	n, err := readRole(v, c.DB)
	return []RoleName{n}, err
}

func (d *Directory) rolesOfDatabase(db string, withBuiltins bool) (names []RoleName) {
	for _, r := range d.sortedRoles() {
		if r.DB == db {
			names = append(names, r.RoleName)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(d.builtins)) {
		if n := (RoleName{name, db}); withBuiltins && d.hasRole(n) {
			names = append(names, n)
		}
	}
	return names
}

// shownRole returns a role as rolesInfo shows it; d.mu is held.
func (d *Directory) shownRole(n RoleName, privileges, restrictions bool) bson.D {
	b, isBuiltin := d.builtinRole(n)
	direct, own := []RoleName{}, []Privilege(nil)
	r := d.roles[n.key()]
	if isBuiltin {
		own = grant(nil, b.privileges(n.DB)...)
	} else {
		direct, own = r.roles, r.privileges
	}
	shown := bson.Doc("_id", n.key(), "role", n.Name, "db", n.DB)
	if privileges {
		shown = append(shown, bson.E{Key: "privileges", Value: documentsOf(own)})
	}
	shown = append(shown, bson.E{Key: "roles", Value: namesOf(direct)})
	if restrictions {
		value := any(bson.A{})
		if r != nil && r.restrictions != nil {
			value = r.restrictions
		}
		shown = append(shown, bson.E{Key: "authenticationRestrictions", Value: value})
	}
	shown = append(shown, bson.E{Key: "isBuiltin", Value: isBuiltin},
		bson.E{Key: "inheritedRoles", Value: namesOf(d.inheritedRoles(direct))})
	if privileges {
		all := grant(slices.Clone(own), d.privilegesOf(direct)...)
		shown = append(shown, bson.E{Key: "inheritedPrivileges", Value: documentsOf(all)})
	}
	return shown
}

// describeAsUser shows what a user with these roles would have; d.mu is held.
func (d *Directory) describeAsUser(names []RoleName) bson.Raw {
	privileges := documentsOf(d.privilegesOf(names))
	return reply.New().Value("userFragment", bson.Doc("roles", namesOf(names), "inheritedRoles", namesOf(d.inheritedRoles(names)),
		"inheritedPrivileges", privileges)).Done()
}

// namesOf are roles in the form and order of replies.
func namesOf(names []RoleName) bson.A {
	out := bson.A{}
	for _, n := range slices.SortedFunc(slices.Values(names), compareNames) {
		out = append(out, n.document())
	}
	return out
}
