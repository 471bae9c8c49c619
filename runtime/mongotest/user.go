package mongotest

import (
	"crypto/md5"
	"crypto/rand"
	"encoding/hex"
	"strings"
	"sync"

	"github.com/xdg-go/scram"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/runtime/mongotest/internal/status"
)

// The iteration counts that servers use.
const (
	iterationsSHA1   = 10000
	iterationsSHA256 = 15000
	minIterations    = 4096 // what tests get: the counts above cost milliseconds for every connection
)

// users are who can authenticate.
type users struct {
	config *config

	mu     sync.Mutex
	byName map[string]*storedUser // by "db.name"
}

type storedUser struct {
	User
	sha1, sha256 *scram.StoredCredentials
}

func newUsers(c *config) *users {
	u := &users{config: c, byName: map[string]*storedUser{}}
	for _, user := range c.users {
		u.put(user)
	}
	return u
}

func (u *users) put(user User) {
	if user.DB == "" {
		user.DB = "admin"
	}
	stored := &storedUser{User: user}
	if user.DB != "$external" {
		mechanisms := user.Mechanisms
		if mechanisms == nil {
			mechanisms = []string{"SCRAM-SHA-1", "SCRAM-SHA-256"}
		}
		stored.Mechanisms = mechanisms
		for _, m := range mechanisms {
			stored.credential(m)
		}
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	u.byName[user.DB+"."+user.Name] = stored
}

func (s *storedUser) credential(mechanism string) {
	salt := make([]byte, 16)
	rand.Read(salt) // it never fails
	factors := scram.KeyFactors{Salt: string(salt), Iters: minIterations}
	switch mechanism {
	case "SCRAM-SHA-1":
		// MongoDB hashes the password once more before SCRAM-SHA-1 sees it.
		sum := md5.Sum([]byte(s.Name + ":mongo:" + s.Password))
		client, err := scram.SHA1.NewClientUnprepped(s.Name, hex.EncodeToString(sum[:]), "")
		if err == nil {
			if stored, err := client.GetStoredCredentialsWithError(factors); err == nil {
				s.sha1 = &stored
			}
		}
	case "SCRAM-SHA-256":
		client, err := scram.SHA256.NewClient(s.Name, s.Password, "")
		if err == nil {
			if stored, err := client.GetStoredCredentialsWithError(factors); err == nil {
				s.sha256 = &stored
			}
		}
	}
}

func (u *users) find(db, name string) *storedUser {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.byName[db+"."+name]
}

// mechanismsOf is the answer to saslSupportedMechs, "db.user"; nil for somebody unknown.
func (u *users) mechanismsOf(qualified string) []string {
	db, name, ok := strings.Cut(qualified, ".")
	if !ok {
		return nil
	}
	if user := u.find(db, name); user != nil {
		return user.Mechanisms
	}
	return nil
}

func userCommands() []command {
	return []command{
		{name: "saslStart", traits: beforeAuth | apiV1, run: saslStart},
		{name: "saslContinue", traits: beforeAuth | apiV1, run: saslContinue},
		{name: "authenticate", traits: beforeAuth | apiV1, run: authenticate},
		{name: "logout", traits: beforeAuth, run: logout},
		{name: "createUser", traits: writes, run: createUser},
		{name: "updateUser", traits: writes, run: updateUser},
		{name: "dropUser", traits: writes, run: dropUser},
		{name: "dropAllUsersFromDatabase", traits: writes, run: dropAllUsers},
		{name: "usersInfo", traits: reads, run: usersInfo},
	}
}

// checkAuthenticated refuses a command on a connection that has not authenticated.
func (d *Deployment) checkAuthenticated(r *request, c command) error {
	if !d.config.requireAuth || c.any(beforeAuth) || len(r.conn.principals) > 0 {
		return nil
	}
	return status.Errorf(errcode.Unauthorized, "Command %s requires authentication", r.name)
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
