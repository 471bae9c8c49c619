package server

import "github.com/specdrivers/onion/tools/mongotest/internal/login"

// userCommands are about users and authentication.
func userCommands() []command {
	return []command{
		{name: "saslStart", fields: takes("mechanism:string", "payload", "autoAuthorize", "options:object"),
			beforeAuth: true, opQuery: true, api: api1, run: withLogin((*login.Directory).RunSASLStart)},
		{name: "saslContinue", fields: takes("conversationId", "payload"), beforeAuth: true, opQuery: true, api: api1,
			run: withLogin((*login.Directory).RunSASLContinue)},
		{name: "authenticate", fields: takes("mechanism:string", "user:string"), beforeAuth: true, opQuery: true,
			api: api1, run: withLogin((*login.Directory).RunAuthenticate)},
		{name: "logout", fields: takesAtLeast(), beforeAuth: true, run: logout},
		{name: "connectionStatus", fields: takes("showPrivileges:bool"), beforeAuth: true,
			run: withLogin((*login.Directory).RunConnectionStatus)},
		{name: "createUser",
			fields: takes("pwd:string", "roles:array!", "customData:object", "digestPassword:bool",
				"authenticationRestrictions:array", "mechanisms:array").StrictSince(always),
			needs: grants("createUser"), access: writes, api: api1, run: withUsers((*login.Directory).RunCreateUser)},
		{name: "updateUser",
			fields: takes("pwd:string", "roles:array", "customData:object", "digestPassword:bool",
				"authenticationRestrictions:array", "mechanisms:array").StrictSince(always),
			needs: updateUserNeeds, access: writes, api: api1, run: withUsers((*login.Directory).RunUpdateUser)},
		{name: "dropUser", fields: takes().StrictSince(always), needs: onDatabase("dropUser"), access: writes,
			api: api1, run: withUsers((*login.Directory).RunDropUser)},
		{name: "dropAllUsersFromDatabase", fields: takes().StrictSince(always), needs: onDatabase("dropUser"),
			access: writes, run: withUsers((*login.Directory).RunDropAllUsers)},
		{name: "grantRolesToUser", fields: takes("roles:array!").StrictSince(always), needs: grants(""),
			access: writes, run: withUsers((*login.Directory).RunGrantRolesToUser)},
		{name: "revokeRolesFromUser", fields: takes("roles:array!").StrictSince(always), needs: revokes,
			access: writes, run: withUsers((*login.Directory).RunRevokeRolesFromUser)},
		{name: "_mergeAuthzCollections",
			fields: takes("tempUsersCollection:string", "tempRolesCollection:string", "db:string!",
				"drop:bool!").StrictSince(always),
			needs: mergeNeeds, access: writes, admin: true, run: mergeAuthzCollections},
		{name: "usersInfo",
			fields: takes("showCredentials:flag", "showPrivileges:flag", "showCustomData:flag",
				"showAuthenticationRestrictions:flag", "filter:object").StrictSince(always),
			needs: usersInfoNeeds, access: reads, run: withUsers((*login.Directory).RunUsersInfo)},
	}
}

// roleCommands are about roles.
func roleCommands() []command {
	return []command{
		{name: "createRole",
			fields: takes("privileges:array!", "roles:array!",
				"authenticationRestrictions:array").StrictSince(always),
			needs: grants("createRole"), access: writes, run: withUsers((*login.Directory).RunCreateRole)},
		{name: "updateRole",
			fields: takes("privileges:array", "roles:array", "authenticationRestrictions:array").StrictSince(always),
			needs:  grants("revokeRole"), access: writes, run: withUsers((*login.Directory).RunUpdateRole)},
		{name: "dropRole", fields: takes().StrictSince(always), needs: onDatabase("dropRole"), access: writes,
			run: withUsers((*login.Directory).RunDropRole)},
		{name: "dropAllRolesFromDatabase", fields: takes().StrictSince(always), needs: onDatabase("dropRole"),
			access: writes, run: withUsers((*login.Directory).RunDropAllRoles)},
		{name: "grantPrivilegesToRole", fields: takes("privileges:array!").StrictSince(always), needs: grants(""),
			access: writes, run: withUsers((*login.Directory).RunGrantPrivileges)},
		{name: "revokePrivilegesFromRole", fields: takes("privileges:array!").StrictSince(always), needs: revokes,
			access: writes, run: withUsers((*login.Directory).RunRevokePrivileges)},
		{name: "grantRolesToRole", fields: takes("roles:array!").StrictSince(always), needs: grants(""),
			access: writes, run: withUsers((*login.Directory).RunGrantRolesToRole)},
		{name: "revokeRolesFromRole", fields: takes("roles:array!").StrictSince(always), needs: revokes,
			access: writes, run: withUsers((*login.Directory).RunRevokeRolesFromRole)},
		{name: "rolesInfo",
			fields: takes("showPrivileges", "showBuiltinRoles:flag",
				"showAuthenticationRestrictions:flag").StrictSince(always),
			needs: rolesInfoNeeds, access: reads, run: withUsers((*login.Directory).RunRolesInfo)},
		{name: "invalidateUserCache", fields: takesAtLeast(), needs: onCluster("invalidateUserCache"),
			run: withUsers((*login.Directory).RunInvalidateUserCache)},
	}
}

// sessionCommands are about sessions and transactions.
func sessionCommands() []command {
	return []command{
		{name: "startSession", fields: takesAtLeast(), needs: needNothing, run: startSession},
		{name: "endSessions", fields: takes(), needs: needNothing, api: api1, run: endSessions},
		{name: "refreshSessions", fields: takes(), needs: needNothing, api: api1, run: refreshSessions},
		{name: "killSessions", fields: takesPlain(), needs: needNothing, run: killSessions},
		{name: "killAllSessions", fields: takesPlain(), needs: onCluster("killAnySession"),
			run: killAllSessions},
		{name: "killAllSessionsByPattern", fields: takesPlain(), needs: onCluster("killAnySession"),
			run: killAllSessions},
		{name: "commitTransaction", fields: takes("recoveryToken:object"), needs: needNothing, access: writes,
			admin: true, inTransaction: always, endsTransaction: true, writeConcern: true, api: api1,
			run: commitTransaction},
		{name: "abortTransaction", fields: takes("recoveryToken:object"), needs: needNothing, access: writes,
			admin: true, inTransaction: always, endsTransaction: true, writeConcern: true, api: api1,
			run: abortTransaction},
	}
}
