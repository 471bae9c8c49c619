package mongotest

import (
	"maps"
	"slices"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
)

// roleCommands lists the commands on users and roles with their fields.
var roleCommands = map[string][]string{
	"createUser": {"pwd", "roles", "mechanisms", "customData", "authenticationRestrictions"}, "updateUser": {"pwd", "roles", "customData"},
	"dropUser": nil, "dropAllUsersFromDatabase": nil, "grantRolesToUser": {"roles"}, "revokeRolesFromUser": {"roles"},
	"usersInfo": {"showPrivileges", "showCredentials", "filter", "showAuthenticationRestrictions"}, "createRole": {"privileges", "roles"},
	"updateRole": {"privileges", "roles"}, "dropRole": nil, "dropAllRolesFromDatabase": nil, "grantPrivilegesToRole": {"privileges"},
	"revokePrivilegesFromRole": {"privileges"}, "grantRolesToRole": {"roles"}, "revokeRolesFromRole": {"roles"},
	"rolesInfo": {"showPrivileges", "showBuiltinRoles", "showAuthenticationRestrictions"}, "connectionStatus": {"showPrivileges"},
	"invalidateUserCache": nil, "logout": nil,
}

// FuzzRoles changes users and roles, and runs commands as a user whose roles change meanwhile.
func FuzzRoles(f *testing.F) {
	names := slices.Sorted(maps.Keys(roleCommands)) // which name is picked depends on the data alone
	root := User{Name: "root", DB: "$external", Password: "root", Mechanisms: []string{"PLAIN"}}
	login := bson.Doc("saslStart", 1, "mechanism", "PLAIN", "payload", []byte("\x00root\x00root"), "$db", "$external")
	fuzzTalks(f, []Option{ReplicaSet(1), RequireAuth(), WithUser(root)}, []bson.D{login}, func(x *talk) bson.Raw {
		switch x.n(5) {
		case 0:
			return x.command()
		case 1:
			return x.fields("saslStart", number(1), "mechanism", text("PLAIN"), "payload",
				bson.RawValue{Type: bsontype.Binary, Value: append([]byte{10, 0, 0, 0, 0}, "\x00root\x00root"...)}, "$db", text("$external"))
		}
		name := pick(x.maker, names)
		db := pick(x.maker, []string{"db", "admin", "$external", "config"})
		return x.anyFields(name, x.principal(), db, roleCommands[name], x.roleField)
	})
}

// principal makes the name of a user or a role, in one of the forms that commands take.
func (x *talk) principal() bson.RawValue {
	name := text(pick(x.maker, []string{"root", "r", "read", "u", "", "a.b", "__system"}))
	switch x.n(8) {
	case 0:
		return number(1)
	case 1:
		return x.value()
	case 2:
		return bson.RawValue{Type: bsontype.EmbeddedDocument, Value: x.fields("user", name, "role", name, "db", text(pick(x.maker, []string{"db", "admin", ""})))}
	case 3:
		return x.array(2, x.principal)
	}
	return name
}

// roleField makes the value of a field of roleCommands.
func (x *talk) roleField(name string) bson.RawValue {
	if x.n(12) == 11 {
		return x.value()
	}
	switch name {
	case "roles":
		return x.array(3, x.principal)
	case "privileges":
		return x.array(2, x.privilege)
	case "mechanisms":
		return x.array(2, func() bson.RawValue { return text(pick(x.maker, []string{"SCRAM-SHA-1", "SCRAM-SHA-256", "PLAIN"})) })
	case "pwd":
		return text(pick(x.maker, []string{"x", ""}))
	case "showPrivileges", "showCredentials", "showBuiltinRoles":
		return bson.RawValue{Type: bsontype.Boolean, Value: []byte{byte(x.n(2))}}
	case "filter":
		return x.maker.filter()
	}
	return x.value()
}

func (x *talk) privilege() bson.RawValue {
	word := func(words ...string) func() bson.RawValue {
		return func() bson.RawValue { return text(pick(x.maker, words)) }
	}
	resource := x.document(func(dst []byte) []byte {
		for _, name := range [...]string{"db", "collection", "cluster", "anyResource", "system_buckets"} {
			switch x.n(3) {
			case 0:
				dst = bson.AppendRawValueElement(dst, name, word("db", "c", "", "system.users")())
			case 1:
				dst = bson.AppendBooleanElement(dst, name, true)
			}
		}
		return dst
	})
	return bson.RawValue{Type: bsontype.EmbeddedDocument, Value: x.fields("resource", resource, "actions",
		x.array(3, word("find", "insert", "anyAction", "internal", "grantRole", "shutdown", "x")))}
}
