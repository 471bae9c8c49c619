package login

import (
	"sync"
	"sync/atomic"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/engine"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/xdg-go/scram"
)

// User is a user who can authenticate. The public package documents the fields.
type User struct {
	Name       string
	DB         string
	Password   string
	Mechanisms []string
	Roles      []bson.Raw
}

// Token is an access token that MONGODB-OIDC accepts.
type Token struct {
	JWT       string
	Principal string
}

// IdentityProvider is where MONGODB-OIDC clients get tokens.
type IdentityProvider struct {
	Issuer   string
	ClientID string
	Domain   string
}

// AWSKey is a key that MONGODB-AWS accepts.
type AWSKey struct {
	AccessKeyID     string
	SecretAccessKey string
	SessionToken    string
	ARN             string
}

// Config is the initial content of a Directory.
type Config struct {
	Users     []User
	Tokens    []Token
	Providers []IdentityProvider
	AWSKeys   []AWSKey
	TLS       bool // the deployment speaks TLS, so X.509 is possible
}

// Directory holds all who can authenticate. Its methods are safe for concurrent use.
type Directory struct {
	config  Config
	revoked sync.Map // the tokens that Revoke named

	mu      sync.Mutex
	byName  map[string]*storedUser // by "db.name"
	roles   map[string]*role       // user-defined roles, by "db.name"
	dropped map[Principal]bool     // users that were dropped

	builtins   map[string]builtin
	generation atomic.Int64 // grows when users or roles change
}

// Revoke makes MONGODB-OIDC refuse a token from now on.
func (d *Directory) Revoke(jwt string) { d.revoked.Store(jwt, true) }

// Principal is an authenticated user.
type Principal struct{ Name, DB string }

// Digest returns the uid of the user's sessions.
func (p Principal) Digest() engine.UserDigest { return engine.DigestOf(p.Name, p.DB) }

// State is the authentication state of a connection. It belongs to the connection's goroutine.
type State struct {
	Principals   []Principal
	conversation conversation // the authentication in progress
	// Subject is the subject of the client's certificate, "" without one.
	Subject func() string

	privileges []Privilege // what the principals may do, as of a generation and a number of principals
	generation int64
	counted    int
}

// role is a user-defined role.
type role struct {
	RoleName
	privileges   []Privilege
	roles        []RoleName // inherited
	restrictions bson.RawArray
}

// conversation is an authentication in progress on a connection. step takes the client's payload. It returns the
// server's payload and whether the conversation is over.
type conversation interface {
	step(payload []byte) (reply []byte, done bool, err error)
	user() Principal
}

type storedUser struct {
	User
	id           bson.UUID
	roles        []RoleName
	customData   bson.Raw
	restrictions bson.RawArray
	sha1, sha256 *scram.StoredCredentials
	digested     bool // the password is already the hash that SCRAM-SHA-1 begins with
}

// external is the database of users whose credentials are not passwords stored on the server.
const external = "$external"

// errAuthentication is a server's answer to any wrong credential.
func errAuthentication() error {
	return status.Errorf(errcode.AuthenticationFailed, "Authentication failed.")
}

// RoleName is the name of a role and its database.
type RoleName struct{ Name, DB string }

func (n RoleName) key() string { return n.DB + "." + n.Name }

func (n RoleName) String() string { return n.Name + "@" + n.DB }

func (n RoleName) document() bson.D { return bson.Doc("role", n.Name, "db", n.DB) }
