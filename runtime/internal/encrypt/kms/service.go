package kms

import (
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

	"github.com/specdrivers/onion/generated/core/analysis"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/internal/auth"
	"github.com/specdrivers/onion/runtime/internal/conn"
	"github.com/specdrivers/onion/runtime/internal/web"
)

// Config has the settings of a Service.
type Config struct {
	Providers  map[string]map[string]any // settings by provider
	TLS        map[string]*tls.Config    // by provider
	HTTPClient *http.Client              // asks metadata services; nil means the client of package web
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

// token is an access token and when it expires.
type token struct {
	value string
	ends  time.Time
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

// findProvider finds the settings of a provider.
func (s *Service) findProvider(id string) (*provider, error) {
	p := s.providers[id]
	if p == nil {
		return nil, fmt.Errorf("encrypt: KMS provider `%s` is not configured", id)
	}
	return p, nil
}

// CheckConfigured returns an error unless the options have a provider.
func (s *Service) CheckConfigured(id string) error {
	_, err := s.findProvider(id)
	return err
}
