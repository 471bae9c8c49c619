package kms

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/analysis"
	"github.com/specdrivers/onion/generated/core/kmstable"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/internal/auth"
	"github.com/specdrivers/onion/runtime/internal/conn"
	"github.com/specdrivers/onion/runtime/internal/encrypt/aead"
	"github.com/specdrivers/onion/runtime/internal/web"
)

// Config is what a Service is made of.
type Config struct {
	Providers  map[string]map[string]any // settings by provider
	TLS        map[string]*tls.Config    // by provider
	HTTPClient *http.Client              // asks metadata services; nil is web.Client
	AWS        options.AWSCredentialProvider
	Connect    options.KMSConnectCallback // nil dials
	Getenv     func(string) string
	Random     io.Reader
}

// Service encrypts and decrypts data keys. It is safe for concurrent use.
type Service struct {
	providers map[string]*provider
	tls       map[string]*conn.TLS
	plainTLS  *conn.TLS
	connect   options.KMSConnectCallback
	web       web.Client
	aws       *auth.AWSKeys
	getenv    func(string) string
	random    io.Reader
	jitter    func() float64
	now       func() time.Time

	mu     sync.Mutex
	tokens map[string]token
}

// New checks the settings of all providers. Nothing is sent.
func New(c Config) (*Service, error) {
	if len(c.Providers) == 0 {
		return nil, errors.New("encrypt: no KMS provider set")
	}
	asker := web.New(c.HTTPClient)
	s := &Service{
		providers: map[string]*provider{}, tls: map[string]*conn.TLS{}, connect: c.Connect, web: asker,
		aws: auth.NewAWSKeys(c.AWS, asker, c.Getenv), getenv: c.Getenv, random: c.Random,
		jitter: rand.Float64, now: time.Now, tokens: map[string]token{},
	}
	for _, id := range slices.Sorted(maps.Keys(c.Providers)) {
		p, err := parseProvider(id, c.Providers[id])
		if err != nil {
			return nil, err
		}
		s.providers[id] = p
	}
	if aws := s.providers["aws"]; c.AWS != nil && (aws == nil || !aws.onDemand) {
		return nil, errors.New(
			"encrypt: can only provide a custom AWS credential provider when the settings of the KMS provider aws are empty")
	}
	return s, s.configureTLS(c)
}

// configureTLS prepares the configurations of TLS. Client Side Encryption, "KMS provider TLS options".
func (s *Service) configureTLS(c Config) (err error) {
	for id, config := range c.TLS {
		if s.providers[id] == nil {
			return fmt.Errorf("encrypt: the TLS options name the KMS provider %s, which is not configured", id)
		}
		if config == nil {
			continue
		}
		if config.InsecureSkipVerify {
			return fmt.Errorf("encrypt: %s: InsecureSkipVerify of the KMS provider %s", analysis.InsecureTLS(), id)
		}
		if s.tls[id], err = conn.NewTLS(conn.TLSOptions{Base: config, Web: s.web}); err != nil {
			return err
		}
	}
	s.plainTLS, err = conn.NewTLS(conn.TLSOptions{Web: s.web})
	return err
}

// Wrap encrypts a data key with a master key of a provider. It returns the master key as it is to be stored.
func (s *Service) Wrap(ctx context.Context, id string, master bson.Raw, dek *aead.Key) (wrapped []byte, stored bson.Raw, err error) {
	m, err := parseMasterKey(id, master, false)
	if err != nil {
		return nil, nil, err
	}
	return s.wrap(ctx, m, dek)
}

// Rewrap encrypts a data key with a master key that is stored.
func (s *Service) Rewrap(ctx context.Context, master bson.Raw, dek *aead.Key) (wrapped []byte, stored bson.Raw, err error) {
	m, err := parseStored(master)
	if err != nil {
		return nil, nil, err
	}
	return s.wrap(ctx, m, dek)
}

func (s *Service) wrap(ctx context.Context, m *masterKey, dek *aead.Key) (wrapped []byte, stored bson.Raw, err error) {
	p, err := s.findProvider(m.id)
	if err != nil {
		return nil, nil, err
	}
	switch m.Name {
	case "aws":
		wrapped, err = s.wrapAWS(ctx, p, m, dek.Material())
	case "azure":
		wrapped, err = s.callAzure(ctx, p, m, "wrapkey", dek.Material())
	case "gcp":
		wrapped, err = s.wrapGCP(ctx, p, m, dek.Material())
	case "kmip":
		wrapped, err = s.wrapKMIP(ctx, p, m, dek)
	default:
		wrapped, err = s.wrapLocally(p.fields.bytes[kmstable.FieldKey], dek)
	}
	return wrapped, m.document(), err
}

// Unwrap decrypts a data key. The caller wipes it.
func (s *Service) Unwrap(ctx context.Context, master bson.Raw, wrapped []byte) (*aead.Key, error) {
	m, err := parseStored(master)
	if err != nil {
		return nil, err
	}
	p, err := s.findProvider(m.id)
	if err != nil {
		return nil, err
	}
	var dek []byte
	switch m.Name {
	case "aws":
		dek, err = s.unwrapAWS(ctx, p, m, wrapped)
	case "azure":
		dek, err = s.callAzure(ctx, p, m, "unwrapkey", wrapped)
	case "gcp":
		dek, err = s.unwrapGCP(ctx, p, m, wrapped)
	case "kmip":
		dek, err = s.unwrapKMIP(ctx, p, m, wrapped)
	default:
		dek, err = unwrapLocally(p.fields.bytes[kmstable.FieldKey], wrapped)
	}
	if err != nil {
		return nil, err
	}
	defer clear(dek)
	return aead.NewKey(dek)
}

// findProvider finds the settings of a provider.
func (s *Service) findProvider(id string) (*provider, error) {
	p := s.providers[id]
	if p == nil {
		return nil, fmt.Errorf("encrypt: KMS provider `%s` is not configured", id)
	}
	return p, nil
}

// CheckConfigured reports whether the options have a provider, as an error when they do not.
func (s *Service) CheckConfigured(id string) error {
	_, err := s.findProvider(id)
	return err
}
