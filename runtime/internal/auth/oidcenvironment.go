package auth

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"strings"

	"github.com/specdrivers/onion/generated/core/authtable"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/uri"
)

// environmentCallback returns the driver's own machine callback for an environment.
func environmentCallback(credential *options.Credential, config Config) (options.OIDCCallback, error) {
	facts := uri.CredentialFacts{Properties: credential.AuthMechanismProperties}
	name := facts.Property(authtable.Environment)
	rules, ok := authtable.EnvironmentRulesFor(name)
	if !ok {
		return nil, fmt.Errorf("%q is not an environment that provides tokens", name)
	}
	e := &oidcEnvironment{rules: rules, resource: facts.Property(authtable.TokenResource), config: config}
	if rules.URL != "" {
		return e.ask, nil
	}
	return e.read, nil
}

// oidcEnvironment gets tokens where the table says.
type oidcEnvironment struct {
	rules    authtable.EnvironmentRules
	resource string
	config   Config
}

// read takes the token from a file.
func (e *oidcEnvironment) read(context.Context, *options.OIDCArgs) (*options.OIDCCredential, error) {
	path := e.rules.DefaultFile
	for _, variable := range e.rules.FileVariables {
		if value := e.config.Getenv(variable); value != "" {
			path = value
			break
		}
	}
	if path == "" {
		return nil, fmt.Errorf("the environment variable %s is not set", strings.Join(e.rules.FileVariables, " or "))
	}
	token, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return &options.OIDCCredential{AccessToken: strings.TrimSpace(string(token))}, nil
}

// ask takes the token from a metadata service.
func (e *oidcEnvironment) ask(ctx context.Context, args *options.OIDCArgs) (*options.OIDCCredential, error) {
	address, err := url.Parse(e.rules.URL)
	if err != nil {
		return nil, err
	}
	query := address.Query()
	query.Set(e.rules.AudienceParameter, e.resource)
	if e.rules.ClientParameter != "" && args.Username != nil {
		query.Set(e.rules.ClientParameter, *args.Username)
	}
	address.RawQuery = query.Encode()
	header := map[string]string{}
	for _, h := range e.rules.Headers {
		header[h.Name] = h.Value
	}
	body, err := get(ctx, e.config.Web, address.String(), header)
	if err != nil {
		return nil, err
	}
	if e.rules.TokenField == "" {
		return &options.OIDCCredential{AccessToken: strings.TrimSpace(string(body))}, nil
	}
	doc, err := parseJSON(body)
	if err != nil {
		return nil, err
	}
	token, _ := doc.Lookup(e.rules.TokenField).StringOK()
	if token == "" {
		return nil, fmt.Errorf("the answer of %s has no %s", address.Host, e.rules.TokenField)
	}
	return &options.OIDCCredential{AccessToken: token}, nil
}
