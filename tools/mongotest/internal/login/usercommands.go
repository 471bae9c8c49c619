// The commands over users: createUser, updateUser, dropUser, dropAllUsersFromDatabase and usersInfo.
//
// Left out: roles are stored, with the database that they belong to, but not enforced; customData and
// authenticationRestrictions are ignored; the filter of usersInfo is refused.

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

// userArguments are the arguments of createUser and updateUser. createUser requires roles.
func userArguments(roles string) []string {
	return []string{
		"pwd:string", "roles:" + roles, "customData:object", "digestPassword:bool", "authenticationRestrictions:array",
		"mechanisms:array", "comment:any",
	}
}

// userName is the name that the command is about.
func userName(c *call.Call) (string, error) {
	name, ok := c.Value().StringOK()
	if !ok {
		return "", status.WrongType(c.Name+"."+c.Name, c.Value(), "string")
	}
	return name, nil
}

// RunCreateUser answers createUser.
func (d *Directory) RunCreateUser(c *call.Call) (bson.Raw, error) {
	if err := c.CheckArguments(userArguments("array!")...); err != nil {
		return nil, err
	}
	name, err := userName(c)
	switch {
	case err != nil:
		return nil, err
	case name == "":
		return nil, status.Errorf(errcode.BadValue, "User document needs 'user' field to be non-empty")
	case c.Text("pwd") == "" && c.DB != external:
		return nil, status.Errorf(errcode.BadValue,
			"Must provide a 'pwd' field for all user documents, except those with '$external' as the user's source db")
	case c.Text("pwd") != "" && c.DB == external:
		return nil, status.Errorf(errcode.BadValue, "Cannot set the password for users defined on the '$external' database")
	}
	user := User{Name: name, DB: c.DB}
	if err := readUser(c, &user); err != nil {
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
	if err := c.CheckArguments(userArguments("array")...); err != nil {
		return nil, err
	}
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
	user := have.User
	if given("mechanisms") && !given("pwd") {
		for _, m := range call.Texts(c.Body.Lookup("mechanisms")) {
			if !slices.Contains(user.Mechanisms, m) && user.Mechanisms != nil {
				return nil, status.Errorf(errcode.BadValue, "mechanisms field must be a subset of previously set mechanisms")
			}
		}
	}
	if err := readUser(c, &user); err != nil {
		return nil, err
	}
	d.put(user)
	return reply.OK(), nil
}

// readUser takes the password, the mechanisms and the roles from a command.
func readUser(c *call.Call, user *User) error {
	if pwd := c.Text("pwd"); pwd != "" {
		user.Password = pwd
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
	roles := c.Body.Lookup("roles")
	if roles.IsZero() {
		return nil
	}
	user.Roles = nil
	list, _ := roles.ArrayOK()
	for _, item := range list.All() {
		role, err := readRole(c, item)
		if err != nil {
			return err
		}
		user.Roles = append(user.Roles, role)
	}
	return nil
}

// readRole reads a role, which belongs to the database of the command unless it names another one.
func readRole(c *call.Call, item bson.RawValue) (bson.Raw, error) {
	name, ok := item.StringOK()
	db := c.DB
	if doc, isDocument := item.DocumentOK(); isDocument {
		name, ok = doc.Lookup("role").StringOK()
		if named, has := doc.Lookup("db").StringOK(); ok && has {
			db = named
		} else {
			ok = false
		}
	}
	if !ok {
		return nil, status.Errorf(errcode.BadValue, "Role names must be either strings or objects")
	}
	dst, start := bson.AppendDocumentStart(nil)
	dst = bson.AppendStringElement(dst, "role", name)
	dst = bson.AppendStringElement(dst, "db", db)
	return bson.AppendDocumentEnd(dst, start), nil
}

// RunDropUser answers dropUser.
func (d *Directory) RunDropUser(c *call.Call) (bson.Raw, error) {
	if err := c.CheckArguments("comment:any"); err != nil {
		return nil, err
	}
	name, err := userName(c)
	if err != nil {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.byName[c.DB+"."+name] == nil {
		return nil, status.Errorf(errcode.UserNotFound, "User '%s@%s' not found", name, c.DB)
	}
	delete(d.byName, c.DB+"."+name)
	return reply.OK(), nil
}

// RunDropAllUsers answers dropAllUsersFromDatabase.
func (d *Directory) RunDropAllUsers(c *call.Call) (bson.Raw, error) {
	if err := c.CheckArguments("comment:any"); err != nil {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	n := int32(0)
	for key, user := range d.byName {
		if user.DB == c.DB {
			delete(d.byName, key)
			n++
		}
	}
	return reply.New().Int32("n", n).Done(), nil
}

// RunUsersInfo answers usersInfo.
func (d *Directory) RunUsersInfo(c *call.Call) (bson.Raw, error) {
	err := c.CheckArguments("showCredentials:flag", "showPrivileges:flag", "showCustomData:flag",
		"showAuthenticationRestrictions:flag", "filter:object", "comment:any")
	if err != nil {
		return nil, err
	}
	if filter, _ := c.Body.Lookup("filter").DocumentOK(); filter.Len() > 0 {
		return nil, status.Errorf(errcode.CommandNotSupported, "usersInfo does not support 'filter' in mongotest")
	}
	wanted, err := wantedUsers(c, c.Body.Lookup("usersInfo"))
	if err != nil {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	list := bson.A{}
	for _, key := range slices.Sorted(maps.Keys(d.byName)) {
		if user := d.byName[key]; wanted(user) {
			list = append(list, user.shown(c.Flag("showCredentials"), c.Flag("showPrivileges")))
		}
	}
	return reply.New().Value("users", list).Done(), nil
}

// wantedUsers reads the value of usersInfo: 1 for the users of the database, {forAllDBs: true}, a name, a name with a
// database, or a list of names.
func wantedUsers(c *call.Call, v bson.RawValue) (func(*storedUser) bool, error) {
	doc, _ := v.DocumentOK()
	if all, _ := doc.Lookup("forAllDBs").AsBoolOK(); all {
		return func(*storedUser) bool { return true }, nil
	}
	if n, ok := v.AsInt64OK(); ok && n == 1 {
		return func(u *storedUser) bool { return u.DB == c.DB }, nil
	}
	items := []bson.RawValue{v}
	if list, ok := v.ArrayOK(); ok {
		items = nil
		for _, item := range list.All() {
			items = append(items, item)
		}
	}
	names := map[string]bool{}
	for _, item := range items {
		name, ok := item.StringOK()
		db := c.DB
		if doc, isDocument := item.DocumentOK(); isDocument {
			name, ok = doc.Lookup("user").StringOK()
			if named, has := doc.Lookup("db").StringOK(); has {
				db = named
			}
		}
		if !ok {
			return nil, status.Errorf(errcode.BadValue, "UserName must be either a string or an object")
		}
		names[db+"."+name] = true
	}
	return func(u *storedUser) bool { return names[u.DB+"."+u.Name] }, nil
}

// shown is a user as usersInfo shows it.
func (s *storedUser) shown(credentials, privileges bool) bson.D {
	roles, mechanisms := bson.A{}, bson.A{}
	for _, role := range s.Roles {
		roles = append(roles, role)
	}
	for _, m := range s.Mechanisms {
		mechanisms = append(mechanisms, m)
	}
	d := bson.Doc("_id", s.DB+"."+s.Name, "userId", s.id, "user", s.Name, "db", s.DB)
	if credentials {
		d = append(d, bson.E{Key: "credentials", Value: s.credentials()})
	}
	d = append(d, bson.E{Key: "roles", Value: roles}, bson.E{Key: "mechanisms", Value: mechanisms})
	if privileges {
		d = append(d, bson.E{Key: "inheritedRoles", Value: roles}, bson.E{Key: "inheritedPrivileges", Value: bson.A{}})
	}
	return d
}
