package login

import (
	"bytes"
	"fmt"

	"github.com/xdg-go/scram"
)

// scramConversation is SCRAM-SHA-1 or SCRAM-SHA-256.
type scramConversation struct {
	server    *scram.ServerConversation
	principal Principal
	skipEmpty bool
	verified  bool
}

func newScramConversation(d *Directory, mechanism, db string) *scramConversation {
	c := &scramConversation{principal: Principal{DB: db}}
	hash := scram.SHA256
	if mechanism == "SCRAM-SHA-1" {
		hash = scram.SHA1
	}
	server, err := hash.NewServer(func(name string) (scram.StoredCredentials, error) {
		user := d.find(db, name)
		var stored *scram.StoredCredentials
		if user != nil {
			stored = user.sha256
			if mechanism == "SCRAM-SHA-1" {
				stored = user.sha1
			}
		}
		if stored == nil {
			return scram.StoredCredentials{}, fmt.Errorf("no credential of %s for %s", mechanism, name)
		}
		c.principal.Name = name
		return *stored, nil
	})
	if err == nil {
		c.server = server.NewConversation()
	}
	return c
}

func (c *scramConversation) user() Principal { return c.principal }

func (c *scramConversation) step(payload []byte) ([]byte, bool, error) {
	if c.verified { // the empty exchange at the end
		return nil, true, nil
	}
	if c.server == nil {
		return nil, false, errAuthentication()
	}
	out, err := c.server.Step(string(payload))
	if err != nil {
		return nil, false, errAuthentication()
	}
	if !c.server.Done() {
		return []byte(out), false, nil
	}
	if !c.server.Valid() {
		return nil, false, errAuthentication()
	}
	c.verified = true
	return []byte(out), c.skipEmpty, nil
}

// plainConversation is PLAIN (RFC 4616): one message with the name and the password.
type plainConversation struct {
	directory *Directory
	principal Principal
}

func (c *plainConversation) user() Principal { return c.principal }

func (c *plainConversation) step(payload []byte) ([]byte, bool, error) {
	parts := bytes.Split(payload, []byte{0})
	if len(parts) != 3 {
		return nil, false, errAuthentication()
	}
	user := c.directory.find(external, string(parts[1]))
	if user == nil || user.Password != string(parts[2]) {
		return nil, false, errAuthentication()
	}
	c.principal = Principal{user.Name, external}
	return nil, true, nil
}
