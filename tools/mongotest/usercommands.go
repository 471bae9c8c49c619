// The commands over users: createUser, updateUser, dropUser, dropAllUsersFromDatabase and usersInfo.
//
// Left out: roles are kept, with the database that they belong to, and not enforced; customData and
// authenticationRestrictions are kept out; the filter of usersInfo is refused.

package mongotest

import (
	"slices"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/engine"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
)

func userCommands() []command {
	return []command{
		{name: "saslStart", traits: beforeAuth | apiV1, run: saslStart},
		{name: "saslContinue", traits: beforeAuth | apiV1, run: saslContinue},
		{name: "authenticate", traits: beforeAuth | apiV1, run: authenticate},
		{name: "logout", traits: beforeAuth, run: logout},
		{name: "createUser", traits: writes | apiV1, run: createUser},
		{name: "updateUser", traits: writes | apiV1, run: updateUser},
		{name: "dropUser", traits: writes | apiV1, run: dropUser},
		{name: "dropAllUsersFromDatabase", traits: writes, run: dropAllUsers},
		{name: "usersInfo", traits: reads, run: usersInfo},
	}
}

// userArguments are those of createUser and updateUser; createUser needs the roles.
func userArguments(roles string) []string {
	return []string{
		"pwd:string", "roles:" + roles, "customData:object", "digestPassword:bool", "authenticationRestrictions:array",
		"mechanisms:array", "comment:any",
	}
}

// userName is the value of the command itself.
func (r *request) userName() (string, error) {
	name, ok := r.body.Lookup(r.name).StringOK()
	if !ok {
		return "", wrongType(r.name+"."+r.name, r.body.Lookup(r.name), "string")
	}
	return name, nil
}

// checkArguments checks what a command got besides what every command may have.
func (r *request) checkArguments(arguments ...string) error {
	return engine.CheckArguments(r.name, r.body, r.d.config.wireVersion, arguments...)
}

func createUser(r *request) (bson.Raw, error) {
	if err := r.checkArguments(userArguments("array!")...); err != nil {
		return nil, err
	}
	name, err := r.userName()
	switch {
	case err != nil:
		return nil, err
	case name == "":
		return nil, status.Errorf(errcode.BadValue, "User document needs 'user' field to be non-empty")
	case r.text("pwd") == "" && r.db != "$external":
		return nil, status.Errorf(errcode.BadValue, "Must provide a 'pwd' field for all user documents, except those with '$external' as the user's source db")
	case r.text("pwd") != "" && r.db == "$external":
		return nil, status.Errorf(errcode.BadValue, "Cannot set the password for users defined on the '$external' database")
	}
	user := User{Name: name, DB: r.db}
	if err := r.readUser(&user); err != nil {
		return nil, err
	}
	if r.d.users.find(r.db, name) != nil {
		return nil, status.Errorf(errcode.Code(51003), "User \"%s@%s\" already exists", name, r.db)
	}
	r.d.users.put(user)
	return newReply().done(), nil
}

func updateUser(r *request) (bson.Raw, error) {
	if err := r.checkArguments(userArguments("array")...); err != nil {
		return nil, err
	}
	name, err := r.userName()
	if err != nil {
		return nil, err
	}
	given := func(field string) bool { return !r.body.Lookup(field).IsZero() }
	switch {
	case !given("pwd") && !given("roles") && !given("mechanisms") && !given("customData") && !given("authenticationRestrictions"):
		return nil, status.Errorf(errcode.BadValue, "Must specify at least one field to update in updateUser")
	case given("pwd") && r.db == "$external":
		return nil, status.Errorf(errcode.BadValue, "Cannot set the password for users defined on the '$external' database")
	}
	have := r.d.users.find(r.db, name)
	if have == nil {
		return nil, status.Errorf(errcode.UserNotFound, "User %s@%s not found", name, r.db)
	}
	user := have.User
	if given("mechanisms") && !given("pwd") {
		for _, m := range textsOf(r.body.Lookup("mechanisms")) {
			if !slices.Contains(user.Mechanisms, m) && user.Mechanisms != nil {
				return nil, status.Errorf(errcode.BadValue, "mechanisms field must be a subset of previously set mechanisms")
			}
		}
	}
	if err := r.readUser(&user); err != nil {
		return nil, err
	}
	r.d.users.put(user)
	return newReply().done(), nil
}

// readUser takes the password, the mechanisms and the roles of a command over.
func (r *request) readUser(user *User) error {
	if pwd := r.text("pwd"); pwd != "" {
		user.Password = pwd
	}
	if m := r.body.Lookup("mechanisms"); !m.IsZero() {
		user.Mechanisms = textsOf(m)
		if len(user.Mechanisms) == 0 {
			return status.Errorf(errcode.BadValue, "mechanisms field must not be empty")
		}
		for _, name := range user.Mechanisms {
			if name != "SCRAM-SHA-1" && name != "SCRAM-SHA-256" {
				return status.Errorf(errcode.BadValue, "Unknown auth mechanism '%s'", name)
			}
		}
	}
	roles := r.body.Lookup("roles")
	if roles.IsZero() {
		return nil
	}
	user.Roles = nil
	list, _ := roles.ArrayOK()
	for _, item := range list.All() {
		role, err := r.role(item)
		if err != nil {
			return err
		}
		user.Roles = append(user.Roles, role)
	}
	return nil
}

// role reads a role, which belongs to the database of the command unless it names another one.
func (r *request) role(item bson.RawValue) (bson.Raw, error) {
	name, ok := item.StringOK()
	db := r.db
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

func dropUser(r *request) (bson.Raw, error) {
	if err := r.checkArguments("comment:any"); err != nil {
		return nil, err
	}
	name, err := r.userName()
	if err != nil {
		return nil, err
	}
	u := r.d.users
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.byName[r.db+"."+name] == nil {
		return nil, status.Errorf(errcode.UserNotFound, "User '%s@%s' not found", name, r.db)
	}
	delete(u.byName, r.db+"."+name)
	return newReply().done(), nil
}

func dropAllUsers(r *request) (bson.Raw, error) {
	if err := r.checkArguments("comment:any"); err != nil {
		return nil, err
	}
	u := r.d.users
	u.mu.Lock()
	defer u.mu.Unlock()
	n := int32(0)
	for key, user := range u.byName {
		if user.DB == r.db {
			delete(u.byName, key)
			n++
		}
	}
	return newReply().int32("n", n).done(), nil
}

func usersInfo(r *request) (bson.Raw, error) {
	err := r.checkArguments("showCredentials:flag", "showPrivileges:flag", "showCustomData:flag", "showAuthenticationRestrictions:flag", "filter:object", "comment:any")
	if err != nil {
		return nil, err
	}
	if filter, _ := r.body.Lookup("filter").DocumentOK(); filter.Len() > 0 {
		return nil, status.Errorf(errcode.CommandNotSupported, "usersInfo does not support 'filter' in mongotest")
	}
	wanted, err := r.wantedUsers(r.body.Lookup("usersInfo"))
	if err != nil {
		return nil, err
	}
	u := r.d.users
	u.mu.Lock()
	defer u.mu.Unlock()
	list := bson.A{}
	for _, key := range sortedKeys(u.byName) {
		if user := u.byName[key]; wanted(user) {
			list = append(list, user.shown(r.flag("showCredentials"), r.flag("showPrivileges")))
		}
	}
	return newReply().value("users", list).done(), nil
}

// wantedUsers reads the value of usersInfo: 1 for those of the database, {forAllDBs: true}, a name, a name with a
// database, or a list of those.
func (r *request) wantedUsers(v bson.RawValue) (func(*storedUser) bool, error) {
	doc, _ := v.DocumentOK()
	if all, _ := doc.Lookup("forAllDBs").AsBoolOK(); all {
		return func(*storedUser) bool { return true }, nil
	}
	if n, ok := v.AsInt64OK(); ok && n == 1 {
		return func(u *storedUser) bool { return u.DB == r.db }, nil
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
		db := r.db
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

// shown is a user as usersInfo answers it.
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

func docsOf(value bson.RawValue) []bson.Raw {
	array, _ := value.ArrayOK()
	var out []bson.Raw
	for _, item := range array.All() {
		if doc, ok := item.DocumentOK(); ok {
			out = append(out, doc)
		}
	}
	return out
}

func textsOf(value bson.RawValue) []string {
	array, _ := value.ArrayOK()
	var out []string
	for _, item := range array.All() {
		if s, ok := item.StringOK(); ok {
			out = append(out, s)
		}
	}
	return out
}
