package mongotest

import (
	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/runtime/mongotest/internal/status"
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

// createUser adds a user with a password. Left out: roles are kept and not enforced.
func createUser(r *request) (bson.Raw, error) {
	name := r.text("createUser")
	if name == "" {
		return nil, status.Errorf(errcode.BadValue, "User document needs 'user' field to be non-empty")
	}
	if r.d.users.find(r.db, name) != nil {
		return nil, status.Errorf(errcode.Code(51003), "User \"%s@%s\" already exists", name, r.db)
	}
	if r.text("pwd") == "" && r.db != "$external" {
		return nil, status.Errorf(errcode.BadValue, "Must provide a 'pwd' field for all user documents, except those with '$external' as the user's source db")
	}
	r.d.users.put(User{Name: name, DB: r.db, Password: r.text("pwd"), Mechanisms: textsOf(r.body.Lookup("mechanisms")), Roles: docsOf(r.body.Lookup("roles"))})
	return newReply().done(), nil
}

// updateUser gives a user another password, other mechanisms or other roles.
func updateUser(r *request) (bson.Raw, error) {
	name := r.text("updateUser")
	have := r.d.users.find(r.db, name)
	if have == nil {
		return nil, status.Errorf(errcode.UserNotFound, "Could not find user \"%s\" for db \"%s\"", name, r.db)
	}
	user := have.User
	if pwd := r.text("pwd"); pwd != "" {
		user.Password = pwd
	}
	if m := textsOf(r.body.Lookup("mechanisms")); m != nil {
		user.Mechanisms = m
	}
	if roles := r.body.Lookup("roles"); !roles.IsZero() {
		user.Roles = docsOf(roles)
	}
	r.d.users.put(user)
	return newReply().done(), nil
}

// dropUser removes a user.
func dropUser(r *request) (bson.Raw, error) {
	name := r.text("dropUser")
	if r.d.users.find(r.db, name) == nil {
		return nil, status.Errorf(errcode.UserNotFound, "User '%s@%s' not found", name, r.db)
	}
	r.d.users.mu.Lock()
	defer r.d.users.mu.Unlock()
	delete(r.d.users.byName, r.db+"."+name)
	return newReply().done(), nil
}

// dropAllUsers removes the users of a database.
func dropAllUsers(r *request) (bson.Raw, error) {
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

// usersInfo lists one user or all of the database. Left out: showCredentials and filters.
func usersInfo(r *request) (bson.Raw, error) {
	u := r.d.users
	u.mu.Lock()
	defer u.mu.Unlock()
	list := bson.A{}
	for _, key := range sortedKeys(u.byName) {
		user := u.byName[key]
		wanted := r.text("usersInfo")
		if user.DB != r.db || wanted != "" && wanted != user.Name {
			continue
		}
		roles := bson.A{}
		for _, role := range user.Roles {
			roles = append(roles, role)
		}
		mechanisms := bson.A{}
		for _, m := range user.Mechanisms {
			mechanisms = append(mechanisms, m)
		}
		list = append(list, bson.Doc("_id", key, "user", user.Name, "db", user.DB, "roles", roles, "mechanisms", mechanisms))
	}
	return newReply().value("users", list).done(), nil
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
