// The commands over users: createUser, updateUser, dropUser, dropAllUsersFromDatabase, grantRolesToUser and
// revokeRolesFromUser.
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

// userName returns the command's user.
func userName(c *call.Call) (string, error) {
	name, ok := c.Value().StringOK()
	if !ok {
		return "", status.WrongType(c.Name+"."+c.Name, c.Value(), "string")
	}
	return name, nil
}

// RunCreateUser answers createUser.
func (d *Directory) RunCreateUser(c *call.Call) (bson.Raw, error) {
	name, err := userName(c)
	switch {
	case err != nil:
		return nil, err
	case name == "":
		return nil, status.Errorf(errcode.BadValue, "User document needs 'user' field to be non-empty")
	case !c.Has("pwd") && c.DB != external:
		return nil, status.Errorf(errcode.BadValue,
			"Must provide a 'pwd' field for all user documents, except those with '$external' as the user's source db")
	case c.Text("pwd") != "" && c.DB == external:
		return nil, status.Errorf(errcode.BadValue, "Cannot set the password for users defined on the '$external' database")
	}
	user := &storedUser{User: User{Name: name, DB: c.DB}, roles: []RoleName{}}
	if err := d.readUser(c, user); err != nil {
		return nil, err
	}
	if d.find(c.DB, name) != nil {
		return nil, status.Errorf(errcode.Code(51003), "User \"%s@%s\" already exists", name, c.DB)
	}
	d.put(user)
	return reply.OK(), nil
}

// RunUpdateUser answers updateUser.
func (d *Directory) RunUpdateUser(c *call.Call) (bson.Raw, error) {
	name, err := userName(c)
	if err != nil {
		return nil, err
	}
	given := func(field string) bool { return !c.Body.Lookup(field).IsZero() }
	switch {
	case !given("pwd") && !given("roles") && !given("mechanisms") && !given("customData") && !given("authenticationRestrictions"):
		return nil, status.Errorf(errcode.BadValue, "Must specify at least one field to update in updateUser")
	case given("pwd") && c.DB == external:
		return nil, status.Errorf(errcode.BadValue, "Cannot set the password for users defined on the '$external' database")
	}
	have := d.find(c.DB, name)
	if have == nil {
		return nil, status.Errorf(errcode.UserNotFound, "User %s@%s not found", name, c.DB)
	}
	user := have.copy()
	if given("mechanisms") && !given("pwd") {
		for _, m := range call.Texts(c.Body.Lookup("mechanisms")) {
			if !slices.Contains(user.Mechanisms, m) && user.Mechanisms != nil {
				return nil, status.Errorf(errcode.BadValue, "mechanisms field must be a subset of previously set mechanisms")
			}
		}
	}
	if err := d.readUser(c, user); err != nil {
		return nil, err
	}
	d.put(user)
	return reply.OK(), nil
}

// readUser reads the password, mechanisms, roles and other fields of a command.
func (d *Directory) readUser(c *call.Call, user *storedUser) error {
	if c.Has("pwd") {
		if user.Password = c.Text("pwd"); user.Password == "" && c.DB != external {
			return status.Errorf(50687, "Password cannot be empty")
		}
	}
	if m := c.Body.Lookup("mechanisms"); !m.IsZero() {
		user.Mechanisms = call.Texts(m)
		if len(user.Mechanisms) == 0 {
			return status.Errorf(errcode.BadValue, "mechanisms field must not be empty")
		}
		for _, name := range user.Mechanisms {
			if name != "SCRAM-SHA-1" && name != "SCRAM-SHA-256" {
				return status.Errorf(errcode.BadValue, "Unknown auth mechanism '%s'", name)
			}
		}
	}
	if digest := c.Body.Lookup("digestPassword"); c.Has("pwd") {
		user.digested = !digest.IsZero() && !c.Flag("digestPassword")
		if user.digested && !slices.Equal(user.Mechanisms, []string{"SCRAM-SHA-1"}) {
			return status.Errorf(errcode.BadValue, "Use of SCRAM-SHA-256 requires undigested passwords")
		}
	}
	if custom, ok := c.Body.Lookup("customData").DocumentOK(); ok {
		user.customData = slices.Clone(custom)
	}
	if list, ok := c.Body.Lookup("authenticationRestrictions").ArrayOK(); ok {
		user.restrictions = slices.Clone(list)
	}
	if !c.Has("roles") {
		return nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	var err error
	user.roles, err = d.readRoles(c)
	return err
}

// RunGrantRolesToUser answers grantRolesToUser.
func (d *Directory) RunGrantRolesToUser(c *call.Call) (bson.Raw, error) {
	return d.changeRolesOfUser(c, addRoles)
}

// RunRevokeRolesFromUser answers revokeRolesFromUser.
func (d *Directory) RunRevokeRolesFromUser(c *call.Call) (bson.Raw, error) {
	return d.changeRolesOfUser(c, removeRoles)
}

func (d *Directory) changeRolesOfUser(c *call.Call, change func(have, named []RoleName) []RoleName) (bson.Raw, error) {
	name, err := userName(c)
	if err != nil {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	names, err := d.readSomeRoles(c)
	if err != nil {
		return nil, err
	}
	user := d.byName[c.DB+"."+name]
	if user == nil {
		return nil, status.Errorf(errcode.UserNotFound, "Could not find user \"%s\" for db \"%s\"", name, c.DB)
	}
	next := user.copy()
	next.roles = change(user.roles, names)
	d.byName[c.DB+"."+name] = next
	d.invalidate()
	return reply.OK(), nil
}

// RunDropUser answers dropUser.
func (d *Directory) RunDropUser(c *call.Call) (bson.Raw, error) {
	name, err := userName(c)
	if err != nil {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.byName[c.DB+"."+name] == nil {
		return nil, status.Errorf(errcode.UserNotFound, "User '%s@%s' not found", name, c.DB)
	}
	d.forgetUser(d.byName[c.DB+"."+name])
	return reply.OK(), nil
}

// RunDropAllUsers answers dropAllUsersFromDatabase.
func (d *Directory) RunDropAllUsers(c *call.Call) (bson.Raw, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	n := int32(0)
	for _, user := range d.byName {
		if user.DB == c.DB {
			d.forgetUser(user)
			n++
		}
	}
	return reply.New().Int32("n", n).Done(), nil
}

// forgetUser drops a user; d.mu is held. Connections authenticated as that user lose all privileges.
func (d *Directory) forgetUser(u *storedUser) {
	delete(d.byName, u.DB+"."+u.Name)
	d.dropped[Principal{u.Name, u.DB}] = true
	d.invalidate()
}
