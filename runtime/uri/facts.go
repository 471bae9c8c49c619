package uri

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/specdrivers/onion/generated/core/authtable"
)

// CredentialFacts are what an application says about its credential.
type CredentialFacts struct {
	Mechanism        string
	Username, Source *string           // nil when not given
	Proof            bool              // there is a password, or a callback that yields one
	Database         string            // of the connection string
	Properties       map[string]string // the properties that are text
	Values           []string          // names of properties that are Go values: callbacks, providers, hosts
}

// AskForAuthentication reports whether the facts ask for authentication at all. A source or a database alone does not.
func (f *CredentialFacts) AskForAuthentication() bool {
	return f.Mechanism != "" || f.Username != nil || f.Proof
}

// ResolvedSource returns the database that authenticates. The facts must be valid.
func (f *CredentialFacts) ResolvedSource() string {
	rules, _ := authtable.RulesFor(authtable.Mechanism(f.Mechanism))
	switch {
	case f.Source != nil:
		return *f.Source
	case f.Database != "" && !rules.External:
		return f.Database
	}
	return rules.Fallback
}

// Property returns the value of a property, or its default when it is not given.
func (f *CredentialFacts) Property(name string) string {
	for _, key := range slices.Sorted(maps.Keys(f.Properties)) {
		if strings.EqualFold(key, name) {
			return f.Properties[key]
		}
	}
	rules, _ := authtable.PropertyRulesFor(name)
	return rules.Default
}

// Validate returns the first mistake in the facts. No error quotes a text of the program, which may be a misplaced
// secret.
func (f *CredentialFacts) Validate() error {
	if f.Source != nil && *f.Source == "" {
		return errors.New("auth: authSource is empty")
	}
	if !f.AskForAuthentication() {
		return nil
	}
	rules, ok := authtable.RulesFor(authtable.Mechanism(f.Mechanism))
	if !ok {
		return errors.New("auth: authMechanism is not the name of a mechanism, such as SCRAM-SHA-256 or MONGODB-X509")
	}
	if err := f.validateUser(rules); err != nil {
		return err
	}
	if rules.External && f.Source != nil && *f.Source != rules.Fallback {
		return fmt.Errorf("auth: the source of %s is always %s", rules.Mechanism, rules.Fallback)
	}
	if err := f.validateProperties(rules.Mechanism); err != nil {
		return err
	}
	if rules.Mechanism == authtable.OIDC {
		return f.validateTokenSource()
	}
	return nil
}

func (f *CredentialFacts) validateUser(rules authtable.Rules) error {
	switch {
	case rules.Username == authtable.Required && (f.Username == nil || *f.Username == ""):
		if rules.Mechanism == authtable.Negotiated {
			return errors.New("auth: a user name is needed")
		}
		return fmt.Errorf("auth: %s needs a user name", rules.Mechanism)
	case rules.Username == authtable.Forbidden && f.Username != nil:
		return fmt.Errorf("auth: %s takes no user name", rules.Mechanism)
	case rules.Password == authtable.Required && !f.Proof:
		return fmt.Errorf("auth: %s needs a password", rules.Mechanism)
	case rules.Password == authtable.Forbidden && f.Proof:
		return fmt.Errorf("auth: %s takes no password", rules.Mechanism)
	}
	return nil
}

func (f *CredentialFacts) validateProperties(mechanism authtable.Mechanism) error {
	for _, name := range slices.Sorted(maps.Keys(f.Properties)) {
		rules, err := propertyOf(mechanism, name)
		if err != nil {
			return err
		}
		if !rules.Text {
			return fmt.Errorf("auth: %s cannot be set in a string", rules.Name)
		}
		if rules.Values != nil && !slices.Contains(rules.Values, f.Properties[name]) {
			return fmt.Errorf("auth: %s has an unknown value; it is one of %s", rules.Name, strings.Join(rules.Values, ", "))
		}
	}
	for _, name := range f.Values {
		if _, err := propertyOf(mechanism, name); err != nil {
			return err
		}
	}
	return nil
}

func propertyOf(mechanism authtable.Mechanism, name string) (authtable.PropertyRules, error) {
	rules, ok := authtable.PropertyRulesFor(name)
	if name = rules.Name; !ok {
		name = "of the given name" // the name may be a misplaced secret
	}
	if !ok || !slices.Contains(rules.Mechanisms, mechanism) {
		if mechanism == authtable.Negotiated {
			return rules, fmt.Errorf("auth: the property %s needs a mechanism", name)
		}
		return rules, fmt.Errorf("auth: %s has no property %s", mechanism, name)
	}
	return rules, nil
}

// validateTokenSource checks that access tokens come from exactly one place, and that the place has what it needs.
//
// Specification: auth/auth.md, "MONGODB-OIDC", "MongoCredential Properties".
func (f *CredentialFacts) validateTokenSource() error {
	environment := f.Property(authtable.Environment)
	var sources []string
	if environment != "" {
		sources = append(sources, authtable.Environment)
	}
	for _, name := range []string{authtable.OIDCCallback, authtable.OIDCHumanCallback} {
		if slices.ContainsFunc(f.Values, func(v string) bool { return strings.EqualFold(v, name) }) {
			sources = append(sources, name)
		}
	}
	switch {
	case len(sources) == 0:
		return fmt.Errorf("auth: %s needs %s, %s or %s", authtable.OIDC, authtable.Environment, authtable.OIDCCallback,
			authtable.OIDCHumanCallback)
	case len(sources) > 1:
		return fmt.Errorf("auth: %s and %s exclude each other", sources[0], sources[1])
	}
	rules, _ := authtable.EnvironmentRulesFor(environment)
	resource := f.Property(authtable.TokenResource)
	switch {
	case environment == "" && resource != "":
		return fmt.Errorf("auth: %s needs %s", authtable.TokenResource, authtable.Environment)
	case rules.Username == authtable.Forbidden && f.Username != nil:
		return fmt.Errorf("auth: %s %s takes no user name", authtable.Environment, environment)
	case rules.Resource == authtable.Required && resource == "":
		return fmt.Errorf("auth: %s %s needs %s", authtable.Environment, environment, authtable.TokenResource)
	case rules.Resource == authtable.Forbidden && resource != "":
		return fmt.Errorf("auth: %s %s takes no %s", authtable.Environment, environment, authtable.TokenResource)
	}
	return nil
}
