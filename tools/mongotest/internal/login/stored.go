package login

import (
	"encoding/base64"
	"maps"
	"slices"

	"github.com/xdg-go/scram"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/call"
	"github.com/specdrivers/onion/tools/mongotest/internal/reply"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
)

// UserDocuments returns the users as admin.system.users stores them.
func (d *Directory) UserDocuments() (list []bson.Raw) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, key := range slices.Sorted(maps.Keys(d.byName)) {
		s := d.byName[key]
		credentials := s.credentials()
		if s.DB == external {
			credentials = bson.Doc("external", true)
		}
		f := reply.New().String("_id", key).Value("userId", s.id).String("user", s.Name).String("db", s.DB).
			Value("credentials", credentials)
		if s.customData != nil {
			f.Doc("customData", s.customData)
		}
		f.Value("roles", namesOf(s.roles))
		if s.restrictions != nil {
			f.Value("authenticationRestrictions", s.restrictions)
		}
		list = append(list, f.Done())
	}
	return list
}

// RoleDocuments returns the user-defined roles as admin.system.roles stores them.
func (d *Directory) RoleDocuments() (list []bson.Raw) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, r := range d.sortedRoles() {
		f := reply.New().String("_id", r.key()).String("role", r.Name).String("db", r.DB).
			Value("privileges", documentsOf(r.privileges)).Value("roles", namesOf(r.roles))
		if r.restrictions != nil {
			f.Value("authenticationRestrictions", r.restrictions)
		}
		list = append(list, f.Done())
	}
	return list
}

// Merge adds the stored users and roles of a dump. With drop it removes those of the database that the dump lacks; db is ""
// for all databases. A nil list leaves its kind as it is.
func (d *Directory) Merge(db string, drop bool, users, roles []bson.Raw) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	defer d.invalidate()
	if roles != nil {
		if err := d.mergeRoles(db, drop, roles); err != nil {
			return err
		}
	}
	if users == nil {
		return nil
	}
	kept := map[string]bool{}
	for _, doc := range users {
		s, err := readStored(doc)
		if err != nil {
			return err
		}
		key := s.DB + "." + s.Name
		if db == "" || s.DB == db {
			d.byName[key], kept[key] = s, true
			delete(d.dropped, Principal{s.Name, s.DB})
		}
	}
	for key, s := range d.byName {
		if drop && !kept[key] && (db == "" || s.DB == db) {
			d.forgetUser(s)
		}
	}
	return nil
}

func (d *Directory) mergeRoles(db string, drop bool, docs []bson.Raw) error {
	kept := map[RoleName]bool{}
	for _, doc := range docs {
		r := &role{}
		r.Name, _ = doc.Lookup("role").StringOK()
		r.DB, _ = doc.Lookup("db").StringOK()
		c := (&call.Call{}).Inner(doc, r.DB)
		privileges, err := readPrivileges(c, r.DB)
		if err != nil {
			return err
		}
		r.privileges = grant(nil, privileges...)
		if r.roles, err = RoleNames(c, "roles"); err != nil {
			return err
		}
		r.restrictions, _ = doc.Lookup("authenticationRestrictions").ArrayOK()
		if r.Name != "" && (db == "" || r.DB == db) {
			d.roles[r.key()], kept[r.RoleName] = r, true
		}
	}
	if drop {
		d.forgetRoles(func(n RoleName) bool { return !kept[n] && (db == "" || n.DB == db) })
	}
	return nil
}

// readStored reads a document of admin.system.users.
func readStored(doc bson.Raw) (*storedUser, error) {
	s := &storedUser{id: bson.NewUUID()}
	s.Name, _ = doc.Lookup("user").StringOK()
	s.DB, _ = doc.Lookup("db").StringOK()
	if s.Name == "" || s.DB == "" {
		return nil, status.Errorf(errcode.BadValue, "User document needs 'user' and 'db' fields to be non-empty: %s", status.Text(doc))
	}
	if _, id, ok := doc.Lookup("userId").BinaryOK(); ok && len(id) == len(s.id) {
		copy(s.id[:], id)
	}
	var err error
	if s.roles, err = RoleNames((&call.Call{}).Inner(doc, s.DB), "roles"); err != nil {
		return nil, err
	}
	if custom, ok := doc.Lookup("customData").DocumentOK(); ok {
		s.customData = slices.Clone(custom)
	}
	if list, ok := doc.Lookup("authenticationRestrictions").ArrayOK(); ok {
		s.restrictions = slices.Clone(list)
	}
	for mechanism, to := range map[string]**scram.StoredCredentials{"SCRAM-SHA-1": &s.sha1, "SCRAM-SHA-256": &s.sha256} {
		if c, ok := doc.Lookup("credentials", mechanism).DocumentOK(); ok {
			if *to, err = readCredential(c); err != nil {
				return nil, err
			}
			s.Mechanisms = append(s.Mechanisms, mechanism)
		}
	}
	slices.Sort(s.Mechanisms)
	return s, nil
}

func readCredential(doc bson.Raw) (*scram.StoredCredentials, error) {
	var decoded [3]string
	for i, name := range [...]string{"salt", "storedKey", "serverKey"} {
		text, _ := doc.Lookup(name).StringOK()
		b, err := base64.StdEncoding.DecodeString(text)
		if err != nil || text == "" {
			return nil, status.Errorf(errcode.UnsupportedFormat, "credential document is missing %s", name)
		}
		decoded[i] = string(b)
	}
	count, _ := doc.Lookup("iterationCount").AsInt64OK()
	return &scram.StoredCredentials{
		KeyFactors: scram.KeyFactors{Salt: decoded[0], Iters: int(count)}, StoredKey: []byte(decoded[1]), ServerKey: []byte(decoded[2]),
	}, nil
}
