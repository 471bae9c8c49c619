// The commands over roles: createRole, updateRole, dropRole, dropAllRolesFromDatabase, grantPrivilegesToRole,
// revokePrivilegesFromRole, grantRolesToRole, revokeRolesFromRole and invalidateUserCache.
//
// Left out: authentication restrictions are stored and not enforced.

package login

import (
	"slices"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/call"
	"github.com/specdrivers/onion/tools/mongotest/internal/reply"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
)

// roleName returns the command's role.
func roleName(c *call.Call) (RoleName, error) {
	name, err := userName(c)
	if err == nil && name == "" {
		err = status.Errorf(errcode.BadValue, "Role name must be non-empty")
	}
	return RoleName{name, c.DB}, err
}

// RunCreateRole answers createRole.
func (d *Directory) RunCreateRole(c *call.Call) (bson.Raw, error) {
	name, err := roleName(c)
	if err != nil {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if _, builtin := d.builtinRole(name); builtin {
		return nil, status.Errorf(errcode.BadValue, "Cannot create roles with the same name as a built-in role")
	}
	if name.DB == external {
		return nil, status.Errorf(errcode.BadValue, "Cannot create roles in the $external database")
	}
	if d.hasRole(name) {
		return nil, status.Errorf(errcode.Code(51002), "Role \"%s\" already exists", name)
	}
	r := &role{RoleName: name}
	if err := d.readRoleDefinition(c, r); err != nil {
		return nil, err
	}
	d.roles[name.key()] = r
	d.invalidate()
	return reply.OK(), nil
}

// RunUpdateRole answers updateRole.
func (d *Directory) RunUpdateRole(c *call.Call) (bson.Raw, error) {
	if !c.Has("privileges") && !c.Has("roles") && !c.Has("authenticationRestrictions") {
		return nil, status.Errorf(errcode.BadValue, "Must specify at least one field to update in updateRole")
	}
	return d.changeRole(c, func(r *role) error { return d.readRoleDefinition(c, r) })
}

// readRoleDefinition takes privileges and roles from a command; d.mu is held.
func (d *Directory) readRoleDefinition(c *call.Call, r *role) error {
	if c.Has("privileges") {
		list, err := readPrivileges(c, r.DB)
		if err != nil {
			return err
		}
		r.privileges = grant(nil, list...)
	}
	if c.Has("roles") {
		names, err := d.readRoles(c)
		if err != nil {
			return err
		}
		if err := d.checkInherits(r.RoleName, names); err != nil {
			return err
		}
		r.roles = names
	}
	r.restrictions, _ = c.Body.Lookup("authenticationRestrictions").ArrayOK()
	return nil
}

// checkInherits refuses roles that a role cannot inherit: roles of other databases, unless it belongs to admin, and
// roles that inherit it themselves. d.mu is held.
func (d *Directory) checkInherits(r RoleName, names []RoleName) error {
	for _, n := range names {
		switch {
		case r.DB != "admin" && n.DB != r.DB:
			return status.Errorf(errcode.InvalidRoleModification,
				"Roles on the '%s' database cannot be granted roles from other databases", r.DB)
		case n == r:
			return status.Errorf(errcode.InvalidRoleModification, "Cannot grant role %s to itself.", n)
		case slices.Contains(d.inheritedRoles([]RoleName{n}), r):
			return status.Errorf(errcode.InvalidRoleModification, "Granting %s to %s would introduce a cycle in the role graph.", n, r)
		}
	}
	return nil
}

// changeRole changes a user-defined role. If change fails, the role stays as it is.
func (d *Directory) changeRole(c *call.Call, change func(*role) error) (bson.Raw, error) {
	name, err := roleName(c)
	if err != nil {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if _, builtin := d.builtinRole(name); builtin {
		return nil, status.Errorf(errcode.InvalidRoleModification, "%s is a built-in role and cannot be modified", name)
	}
	old := d.roles[name.key()]
	if old == nil {
		return nil, status.Errorf(errcode.RoleNotFound, "Role '%s' not found", name)
	}
	next := *old
	if err := change(&next); err != nil {
		return nil, err
	}
	d.roles[name.key()] = &next
	d.invalidate()
	return reply.OK(), nil
}

// RunGrantPrivileges answers grantPrivilegesToRole.
func (d *Directory) RunGrantPrivileges(c *call.Call) (bson.Raw, error) {
	return d.changePrivileges(c, grant)
}

// RunRevokePrivileges answers revokePrivilegesFromRole.
func (d *Directory) RunRevokePrivileges(c *call.Call) (bson.Raw, error) {
	return d.changePrivileges(c, revoke)
}

func (d *Directory) changePrivileges(c *call.Call, change func([]Privilege, ...Privilege) []Privilege) (bson.Raw, error) {
	list, err := readPrivileges(c, c.DB)
	if err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return nil, status.Errorf(errcode.BadValue, "%s command requires a non-empty \"privileges\" array", c.Name)
	}
	return d.changeRole(c, func(r *role) error {
		r.privileges = change(slices.Clone(r.privileges), list...)
		return nil
	})
}

// RunGrantRolesToRole answers grantRolesToRole.
func (d *Directory) RunGrantRolesToRole(c *call.Call) (bson.Raw, error) {
	return d.changeRolesOfRole(c, func(r *role, names []RoleName) error {
		if err := d.checkInherits(r.RoleName, names); err != nil {
			return err
		}
		r.roles = addRoles(r.roles, names)
		return nil
	})
}

// RunRevokeRolesFromRole answers revokeRolesFromRole.
func (d *Directory) RunRevokeRolesFromRole(c *call.Call) (bson.Raw, error) {
	return d.changeRolesOfRole(c, func(r *role, names []RoleName) error {
		r.roles = removeRoles(r.roles, names)
		return nil
	})
}

func (d *Directory) changeRolesOfRole(c *call.Call, change func(*role, []RoleName) error) (bson.Raw, error) {
	return d.changeRole(c, func(r *role) error {
		names, err := d.readSomeRoles(c)
		if err != nil {
			return err
		}
		return change(r, names)
	})
}

// RunDropRole answers dropRole. It also removes the role from users and other roles.
func (d *Directory) RunDropRole(c *call.Call) (bson.Raw, error) {
	name, err := roleName(c)
	if err != nil {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if _, builtin := d.builtinRole(name); builtin {
		return nil, status.Errorf(errcode.InvalidRoleModification, "%s is a built-in role and cannot be modified", name)
	}
	if d.roles[name.key()] == nil {
		return nil, status.Errorf(errcode.RoleNotFound, "Role '%s' not found", name)
	}
	d.forgetRoles(func(n RoleName) bool { return n == name })
	return reply.OK(), nil
}

// RunDropAllRoles answers dropAllRolesFromDatabase.
func (d *Directory) RunDropAllRoles(c *call.Call) (bson.Raw, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	n := d.forgetRoles(func(n RoleName) bool { return n.DB == c.DB })
	return reply.New().Int32("n", n).Done(), nil
}

// forgetRoles drops user-defined roles and returns their number; d.mu is held.
func (d *Directory) forgetRoles(gone func(RoleName) bool) (n int32) {
	defined := func(name RoleName) bool { return d.roles[name.key()] != nil && gone(name) }
	for _, r := range d.roles {
		r.roles = slices.DeleteFunc(slices.Clone(r.roles), defined)
	}
	for _, u := range d.byName {
		u.roles = slices.DeleteFunc(slices.Clone(u.roles), defined)
	}
	for key, r := range d.roles {
		if gone(r.RoleName) {
			delete(d.roles, key)
			n++
		}
	}
	d.invalidate()
	return n
}

// RunInvalidateUserCache answers invalidateUserCache. It has nothing to do: any change empties the caches.
func (d *Directory) RunInvalidateUserCache(*call.Call) (bson.Raw, error) { return reply.OK(), nil }
