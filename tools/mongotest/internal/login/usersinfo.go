// The command usersInfo: shows users with their roles and privileges.

package login

import (
	"maps"
	"slices"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/call"
	"github.com/specdrivers/onion/tools/mongotest/internal/query"
	"github.com/specdrivers/onion/tools/mongotest/internal/reply"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
)

// RunUsersInfo answers usersInfo.
func (d *Directory) RunUsersInfo(c *call.Call) (bson.Raw, error) {
	if c.Value().Type != bsontype.String && c.Value().Type != bsontype.EmbeddedDocument && c.Value().Type != bsontype.Array &&
		(c.Flag("showPrivileges") || c.Flag("showAuthenticationRestrictions")) {
		return nil, status.Errorf(errcode.BadValue, "Privilege or restriction details require exact-match usersInfo queries.")
	}
	document, _ := c.Body.Lookup("filter").DocumentOK()
	filter, err := query.Compile(document, query.Options{})
	if err != nil {
		return nil, err
	}
	wanted, err := wantedUsers(c, c.Body.Lookup("usersInfo"))
	if err != nil {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	list := bson.A{}
	for _, key := range slices.Sorted(maps.Keys(d.byName)) {
		user := d.byName[key]
		if !wanted(user) {
			continue
		}
		shown := d.shownUser(c, user)
		ok, err := filter.Match(shown)
		if err != nil {
			return nil, err
		}
		if ok {
			list = append(list, shown)
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

// shownUser returns a user as usersInfo shows it; d.mu is held.
func (d *Directory) shownUser(c *call.Call, s *storedUser) bson.Raw {
	f := reply.New().String("_id", s.DB+"."+s.Name).Value("userId", s.id).String("user", s.Name).String("db", s.DB)
	if c.Flag("showCredentials") {
		f.Value("credentials", s.credentials())
	}
	hidden := !c.Body.Lookup("showCustomData").IsZero() && !c.Flag("showCustomData")
	if s.customData != nil && !hidden {
		f.Doc("customData", s.customData)
	}
	f.Value("roles", namesOf(s.roles)).Strings("mechanisms", s.Mechanisms)
	restrictions := any(bson.A{})
	if s.restrictions != nil {
		restrictions = s.restrictions
	}
	if c.Flag("showPrivileges") {
		f.Value("inheritedRoles", namesOf(d.inheritedRoles(s.roles))).Value("inheritedPrivileges", documentsOf(d.privilegesOf(s.roles)))
		f.Value("inheritedAuthenticationRestrictions", bson.A{})
	}
	if c.Flag("showPrivileges") || c.Flag("showAuthenticationRestrictions") {
		f.Value("authenticationRestrictions", restrictions)
	}
	return f.Done()
}
