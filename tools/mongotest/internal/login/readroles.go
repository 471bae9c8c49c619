package login

import (
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/call"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
)

// readRoles reads a command's roles. They must exist; d.mu is held.
func (d *Directory) readRoles(c *call.Call) ([]RoleName, error) {
	list, err := RoleNames(c, "roles")
	for _, n := range list {
		if err == nil && !d.hasRole(n) {
			err = status.Errorf(errcode.RoleNotFound, "Could not find role: %s", n)
		}
	}
	return list, err
}

// readSomeRoles reads the roles of a command that needs at least one; d.mu is held.
func (d *Directory) readSomeRoles(c *call.Call) ([]RoleName, error) {
	list, err := d.readRoles(c)
	if err == nil && len(list) == 0 {
		err = status.Errorf(errcode.BadValue, "%s command requires a non-empty \"roles\" array", c.Name)
	}
	return list, err
}

// RoleNames reads an array of roles. A role without a database belongs to the command's database.
func RoleNames(c *call.Call, field string) ([]RoleName, error) {
	list := []RoleName{}
	array, _ := c.Body.Lookup(field).ArrayOK()
	for _, item := range array.All() {
		n, err := readRole(item, c.DB)
		if err != nil {
			return nil, err
		}
		list = append(list, n)
	}
	return list, nil
}

// readRole reads a role.
func readRole(item bson.RawValue, db string) (RoleName, error) {
	name, ok := item.StringOK()
	if doc, isDocument := item.DocumentOK(); isDocument {
		var named bool
		name, ok = doc.Lookup("role").StringOK()
		db, named = doc.Lookup("db").StringOK()
		ok = ok && named
	}
	if !ok {
		return RoleName{}, status.Errorf(errcode.BadValue, "Role names must be either strings or objects")
	}
	return RoleName{name, db}, nil
}

// readPrivileges reads the privileges in a role command. Only roles of admin may reach beyond their database.
func readPrivileges(c *call.Call, db string) ([]Privilege, error) {
	var list []Privilege
	for _, doc := range call.Documents(c.Body.Lookup("privileges")) {
		p, err := readPrivilege(c, doc)
		if err != nil {
			return nil, err
		}
		if db != "admin" && !p.isIn(db) {
			return nil, status.Errorf(errcode.InvalidRoleModification,
				"Roles on the '%s' database cannot be granted privileges that target other databases or the cluster", db)
		}
		list = append(list, p)
	}
	return list, nil
}

func readPrivilege(c *call.Call, doc bson.Raw) (Privilege, error) {
	for _, name := range []string{"resource", "actions"} {
		if doc.Lookup(name).IsZero() {
			return Privilege{}, status.Errorf(errcode.Location40414,
				"BSON field '%s.privileges.%s' is missing but a required field", c.Name, name)
		}
	}
	resource, ok := doc.Lookup("resource").DocumentOK()
	if !ok {
		return Privilege{}, status.WrongType(c.Name+".privileges.resource", doc.Lookup("resource"), "object")
	}
	p := Privilege{}
	var err error
	if p.Resource, err = readResource(resource); err != nil {
		return Privilege{}, err
	}
	if v := doc.Lookup("actions"); v.Type != bsontype.Array {
		return Privilege{}, status.WrongType(c.Name+".privileges.actions", v, "array")
	}
	var unknown []string
	for _, action := range call.Texts(doc.Lookup("actions")) {
		if actions[action] {
			p.Actions = append(p.Actions, action)
		} else {
			unknown = append(unknown, action)
		}
	}
	if len(unknown) > 0 {
		return Privilege{}, status.Errorf(errcode.FailedToParse, "Unrecognized action privilege strings: %s", strings.Join(unknown, ","))
	}
	return p, nil
}

func readResource(doc bson.Raw) (r Resource, err error) {
	cluster, _ := doc.Lookup("cluster").BooleanOK()
	everything, _ := doc.Lookup("anyResource").BooleanOK()
	db, hasDB := doc.Lookup("db").StringOK()
	collection, hasCollection := doc.Lookup("collection").StringOK()
	switch {
	case hasDB != hasCollection:
		return r, status.Errorf(errcode.BadValue, "resource must set both \"db\" and \"collection\"")
	case cluster && !everything && !hasDB:
		return theCluster, nil
	case everything && !cluster && !hasDB:
		return anyResource, nil
	case hasDB && !cluster && !everything:
		return namespace(db, collection), nil
	}
	return r, status.Errorf(errcode.BadValue,
		"resource pattern must specify exactly one of \"cluster\", \"anyResource\", or \"db\" and \"collection\"")
}
