package server

import (
	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/tools/mongotest/internal/call"
	"github.com/specdrivers/onion/tools/mongotest/internal/login"
)

// grants returns the needs of a command that grants roles: an action on its own database, and grantRole in each role's database.
func grants(action string) needs {
	return func(r *request) []login.Need {
		var list []login.Need
		if action != "" {
			list = needsOf(login.Resource{DB: r.DB}, action)
		}
		list = append(list, roleNeeds(r, "grantRole")...)
		for _, p := range call.Documents(r.Field("privileges")) {
			resource, _ := p.Lookup("resource").DocumentOK()
			db, ok := resource.Lookup("db").StringOK()
			if !ok || db == "" {
				db = "admin" // who may grant roles there may grant everything
			}
			list = append(list, needsOf(login.Resource{DB: db}, "grantRole")...)
		}
		return list
	}
}

// revokes returns the needs of a command that revokes roles or privileges.
func revokes(r *request) []login.Need {
	return append(roleNeeds(r, "revokeRole"), onPrivileges(r)...)
}

func onPrivileges(r *request) []login.Need {
	if !r.Has("privileges") {
		return nil
	}
	return onDatabase("revokeRole")(r)
}

func roleNeeds(r *request, action string) []login.Need {
	names, err := login.RoleNames(r.Call, "roles")
	if err != nil {
		return nil // the command itself refuses it
	}
	var list []login.Need
	for _, n := range names {
		list = append(list, needsOf(login.Resource{DB: n.DB}, action)...)
	}
	return list
}

// updateUserNeeds let users change their own password and data with separate actions.
func updateUserNeeds(r *request) []login.Need {
	db := login.Resource{DB: r.DB}
	own := false
	for _, p := range r.conn.login.Principals {
		own = own || p == login.Principal{Name: r.Text(r.Name), DB: r.DB}
	}
	var list []login.Need
	add := func(field, action, ownAction string) {
		switch {
		case !r.Has(field):
		case own && ownAction != "" && r.cluster.Users.Allows(&r.conn.login, needsOf(db, ownAction)...):
		default:
			list = append(list, needsOf(db, action)...)
		}
	}
	add("pwd", "changePassword", "changeOwnPassword")
	add("customData", "changeCustomData", "changeOwnCustomData")
	add("authenticationRestrictions", "setAuthenticationRestriction", "")
	if r.Has("roles") {
		list = append(append(list, needsOf(db, "revokeRole")...), roleNeeds(r, "grantRole")...)
	}
	return list
}

// usersInfoNeeds are viewUser in the database of each user except the caller.
func usersInfoNeeds(r *request) []login.Need {
	return infoNeeds(r, "user", "viewUser", func(name, db string) bool {
		for _, p := range r.conn.login.Principals {
			if p == (login.Principal{Name: name, DB: db}) {
				return true
			}
		}
		return false
	})
}

// rolesInfoNeeds are viewRole in the database of each role that the caller does not have.
func rolesInfoNeeds(r *request) []login.Need {
	return infoNeeds(r, "role", "viewRole", func(name, db string) bool {
		return r.cluster.Users.Has(&r.conn.login, login.RoleName{Name: name, DB: db})
	})
}

// infoNeeds reads the value of usersInfo or rolesInfo: a name, a document, or a list of both. Anything else means all
// of a database, or of every database.
func infoNeeds(r *request, field, action string, own func(name, db string) bool) []login.Need {
	v := r.Value()
	items := []bson.RawValue{v}
	if array, ok := v.ArrayOK(); ok {
		items = items[:0]
		for _, item := range array.All() {
			items = append(items, item)
		}
	}
	all, _ := v.DocumentOK()
	if everywhere, _ := all.Lookup("forAllDBs").AsBoolOK(); everywhere {
		return needsOf(login.Resource{}, action)
	}
	var list []login.Need
	for _, item := range items {
		name, db := nameOf(item, field, r.DB)
		if name == "" || !own(name, db) {
			list = append(list, needsOf(login.Resource{DB: db}, action)...)
		}
	}
	return list
}

// nameOf reads a name, or a document with a name and a database.
func nameOf(v bson.RawValue, field, db string) (name, of string) {
	name, _ = v.StringOK()
	if doc, ok := v.DocumentOK(); ok {
		name, _ = doc.Lookup(field).StringOK()
		if named, ok := doc.Lookup("db").StringOK(); ok {
			db = named
		}
	}
	return name, db
}
