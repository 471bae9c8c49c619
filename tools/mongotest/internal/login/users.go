package login

import (
	"crypto/md5"
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/xdg-go/scram"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
)

// The iteration counts that servers use.
const (
	iterationsSHA1   = 10000
	iterationsSHA256 = 15000
	minIterations    = 4096
)

// copy returns the user without credentials. put makes them again from the password.
func (s *storedUser) copy() *storedUser {
	next := *s
	return &next
}

// add stores a user of the initial configuration. A user without roles may do everything.
func (d *Directory) add(user User) {
	if user.DB == "" {
		user.DB = "admin"
	}
	stored := &storedUser{User: user, roles: []RoleName{rootRole}}
	if user.Roles != nil {
		stored.roles = nil
		for _, doc := range user.Roles {
			if n, err := readRole(bson.RawValue{Type: bsontype.EmbeddedDocument, Value: doc}, user.DB); err == nil {
				stored.roles = append(stored.roles, n)
			}
		}
	}
	d.put(stored)
}

// put stores a user with new credentials.
func (d *Directory) put(stored *storedUser) {
	user := stored.User
	stored.id = bson.NewUUID()
	if old := d.find(user.DB, user.Name); old != nil {
		stored.id = old.id
	}
	if user.DB != external {
		mechanisms := user.Mechanisms
		if mechanisms == nil {
			mechanisms = []string{"SCRAM-SHA-1", "SCRAM-SHA-256"}
		}
		stored.Mechanisms = mechanisms
		for _, m := range mechanisms {
			stored.makeCredential(m)
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.byName[user.DB+"."+user.Name] = stored
	d.invalidate()
}

func (s *storedUser) makeCredential(mechanism string) {
	// A salt is four bytes shorter than the hash, to leave room for a counter. libmongoc refuses any other length.
	salt := make([]byte, map[string]int{"SCRAM-SHA-1": 20, "SCRAM-SHA-256": 32}[mechanism]-4)
	rand.Read(salt) // it never fails
	factors := scram.KeyFactors{Salt: string(salt), Iters: minIterations}
	switch mechanism {
	case "SCRAM-SHA-1":
		// MongoDB hashes the password once more before SCRAM-SHA-1 sees it.
		sum := md5.Sum([]byte(s.Name + ":mongo:" + s.Password))
		password := hex.EncodeToString(sum[:])
		if s.digested {
			password = s.Password
		}
		client, err := scram.SHA1.NewClientUnprepped(s.Name, password, "")
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

// credentials returns what the server stores instead of the password, by mechanism.
func (s *storedUser) credentials() bson.D {
	var d bson.D
	for name, stored := range map[string]*scram.StoredCredentials{"SCRAM-SHA-1": s.sha1, "SCRAM-SHA-256": s.sha256} {
		if stored == nil {
			continue
		}
		text := base64.StdEncoding.EncodeToString
		d = append(d, bson.E{Key: name, Value: bson.Doc("iterationCount", int32(stored.Iters), "salt", text([]byte(stored.Salt)),
			"storedKey", text(stored.StoredKey), "serverKey", text(stored.ServerKey))})
	}
	slices.SortFunc(d, func(a, b bson.E) int { return strings.Compare(a.Key, b.Key) })
	return d
}

func (d *Directory) find(db, name string) *storedUser {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.byName[db+"."+name]
}

// MechanismsOf answers saslSupportedMechs for "db.user". It returns nil for an unknown user.
func (d *Directory) MechanismsOf(qualified string) []string {
	db, name, ok := strings.Cut(qualified, ".")
	if !ok {
		return nil
	}
	if user := d.find(db, name); user != nil {
		return user.Mechanisms
	}
	return nil
}
