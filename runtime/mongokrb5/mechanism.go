package mongokrb5

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"sync"

	"github.com/jcmturner/gokrb5/v8/client"
	"github.com/jcmturner/gokrb5/v8/config"
	"github.com/jcmturner/gokrb5/v8/credentials"
	"github.com/jcmturner/gokrb5/v8/keytab"
	"github.com/jcmturner/gokrb5/v8/messages"
	"github.com/jcmturner/gokrb5/v8/types"

	"github.com/specdrivers/onion/generated/core/authtable"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/uri"
)

// Config says where the credentials of a person or a program come from. A password in the client's credential takes
// precedence over a keytab, and a keytab over the credential cache.
type Config struct {
	// File is the krb5.conf. If it is empty, the path is $KRB5_CONFIG, or /etc/krb5.conf if that is not set.
	File string

	// Keytab is a file with the user's keys. If it is empty, the path is $KRB5_CLIENT_KTNAME.
	Keytab string

	// CredentialCache is the file that kinit writes. If it is empty, the path is $KRB5CCNAME, or /tmp/krb5cc_<uid> if
	// that is not set.
	CredentialCache string
}

// Mechanism is GSSAPI for one credential. It is safe for concurrent use. Close it after the client.
type Mechanism struct {
	config   *config.Config
	keytab   string
	cache    string
	resolver resolver

	// turn is held while a ticket is fetched, because the library takes no context and SERVICE_REALM changes its
	// settings.
	turn chan struct{}

	mu     sync.Mutex
	client *client.Client
	who    string  // the user name of client
	secret *string // the password of client; printing a Mechanism shows no more than the pointer

	// ticket replaces the ticket-granting service in tests.
	ticket func(c *client.Client, spn string) (messages.Ticket, types.EncryptionKey, error)
}

// New reads krb5.conf.
func New(c Config) (*Mechanism, error) {
	file := firstNonEmpty(c.File, os.Getenv("KRB5_CONFIG"), "/etc/krb5.conf")
	parsed, err := config.Load(file)
	if err != nil {
		return nil, fmt.Errorf("mongokrb5: reading %s: %w", file, err)
	}
	return newMechanism(parsed, c), nil
}

func newMechanism(parsed *config.Config, c Config) *Mechanism {
	return &Mechanism{
		config: parsed, resolver: net.DefaultResolver, turn: make(chan struct{}, 1),
		keytab: firstNonEmpty(c.Keytab, strings.TrimPrefix(os.Getenv("KRB5_CLIENT_KTNAME"), "FILE:")),
		cache: firstNonEmpty(c.CredentialCache, strings.TrimPrefix(os.Getenv("KRB5CCNAME"), "FILE:"),
			fmt.Sprintf("/tmp/krb5cc_%d", os.Getuid())),
		ticket: func(c *client.Client, spn string) (messages.Ticket, types.EncryptionKey, error) {
			return c.GetServiceTicket(spn)
		},
	}
}

// Close drops the tickets and stops their renewal.
func (m *Mechanism) Close() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.client != nil {
		m.client.Destroy()
		m.client = nil
	}
}

// Start begins a conversation with the server at address. It gets a ticket for the service there.
func (m *Mechanism) Start(ctx context.Context, credential *options.Credential, address string) (options.Conversation, error) {
	if credential.Username == nil || *credential.Username == "" {
		return nil, errors.New("mongokrb5: GSSAPI needs a user name")
	}
	facts := uri.CredentialFacts{Properties: credential.AuthMechanismProperties}
	host, err := m.serviceHost(ctx, &facts, address)
	if err != nil {
		return nil, err
	}
	c := &conversation{user: *credential.Username}
	service := facts.Property(authtable.ServiceName) + "/" + host
	if err := m.fetch(ctx, c, credential, service, facts.Property(authtable.ServiceRealm)); err != nil {
		return nil, fmt.Errorf("mongokrb5: %w", err)
	}
	return c, nil
}

// fetch gets the ticket. The library cannot be interrupted: if ctx ends first, the call ends by itself later.
func (m *Mechanism) fetch(ctx context.Context, c *conversation, credential *options.Credential, spn, realm string) error {
	select {
	case m.turn <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	done := make(chan error, 1)
	got := *c
	go func() {
		defer func() { <-m.turn }()
		done <- m.fetchNow(&got, credential, spn, realm)
	}()
	select {
	case err := <-done:
		*c = got
		return err
	case <-ctx.Done():
		return fmt.Errorf("getting a ticket for %s: %w", spn, ctx.Err())
	}
}

func (m *Mechanism) fetchNow(c *conversation, credential *options.Credential, spn, realm string) error {
	if realm != "" {
		_, host, _ := strings.Cut(spn, "/")
		if m.config.DomainRealm == nil {
			m.config.DomainRealm = config.DomainRealm{}
		}
		m.config.DomainRealm[host] = realm
	}
	var err error
	if c.client, err = m.login(credential); err != nil {
		return err
	}
	if c.ticket, c.key, err = m.ticket(c.client, spn); err != nil {
		return fmt.Errorf("getting a ticket for %s: %w", spn, err)
	}
	return nil
}

// login makes the client for the credential, or returns the existing one.
func (m *Mechanism) login(credential *options.Credential) (*client.Client, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	user, realm, _ := strings.Cut(*credential.Username, "@")
	realm = firstNonEmpty(realm, m.config.LibDefaults.DefaultRealm)
	who := user + "@" + realm
	var secret *string
	if credential.Password != nil {
		secret = new(*credential.Password)
	}
	if m.client != nil && m.who == who && (m.secret == nil) == (secret == nil) && (secret == nil || *m.secret == *secret) {
		return m.client, nil
	}
	made, err := m.newClient(user, realm, credential.Password)
	if err != nil {
		return nil, err
	}
	if m.client != nil {
		m.client.Destroy()
	}
	m.client, m.who, m.secret = made, who, secret
	return made, nil
}

func (m *Mechanism) newClient(user, realm string, password *string) (*client.Client, error) {
	// Microsoft's servers do not always support FAST. Other servers work without the announcement.
	withoutFAST := client.DisablePAFXFAST(true)
	switch {
	case password != nil:
		return client.NewWithPassword(user, realm, *password, m.config, withoutFAST), nil
	case m.keytab != "":
		keys, err := keytab.Load(m.keytab)
		if err != nil {
			return nil, fmt.Errorf("reading the keytab %s: %w", m.keytab, err)
		}
		return client.NewWithKeytab(user, realm, keys, m.config, withoutFAST), nil
	}
	cache, err := credentials.LoadCCache(m.cache)
	if err != nil {
		return nil, fmt.Errorf("reading the credential cache %s: %w", m.cache, err)
	}
	principal := cache.GetClientPrincipalName().PrincipalNameString()
	if principal != user || cache.GetClientRealm() != realm {
		return nil, fmt.Errorf("the credential cache %s belongs to %s@%s, not to %s@%s",
			m.cache, principal, cache.GetClientRealm(), user, realm)
	}
	return client.NewFromCCache(cache, m.config, withoutFAST)
}

func firstNonEmpty(values ...string) string {
	for _, v := range values {
		if v != "" {
			return v
		}
	}
	return ""
}
