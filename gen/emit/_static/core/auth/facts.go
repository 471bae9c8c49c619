package auth

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Need says whether a credential has something.
type Need uint8

const (
	// Optional may be given.
	Optional Need = iota
	// Required must be given.
	Required
	// Forbidden must not be given.
	Forbidden
)

// Rules say what a credential for a mechanism must look like, and how the mechanism's conversation runs.
type Rules struct {
	Mechanism          Mechanism
	Username, Password Need
	External           bool   // the source is always the external database
	Fallback           string // the source to use when nothing names one
	SASL               bool   // the conversation is saslStart and saslContinue
	Speculates         bool   // hello may hold the first command of the conversation
	Speculative        Mechanism
}

// PropertyRules describe a mechanism property.
type PropertyRules struct {
	Name       string
	Mechanisms []Mechanism
	Text       bool     // a connection string can hold it
	Values     []string // every allowed value, when there is a list
	Default    string
}

// EnvironmentRules say where the access tokens of an environment come from: from URL, or from a file.
type EnvironmentRules struct {
	Name               string
	Username, Resource Need
	URL                string
	AudienceParameter  string // the query parameter that takes TOKEN_RESOURCE
	ClientParameter    string // the query parameter that takes the user name
	Headers            []Header
	TokenField         string   // the field of the answer that is the token; the whole answer when empty
	FileVariables      []string // variables with the path of the token; the first one set counts
	DefaultFile        string   // the path when none is set
}

// Header is one header of a request.
type Header struct {
	Name, Value string
}

// Facts are what an application says about its credential.
type Facts struct {
	Mechanism                  string
	Username, Password, Source *string           // nil when not given
	Database                   string            // of the connection string
	Properties                 map[string]string // the properties that are text
	Values                     []string          // names of properties that are Go values: callbacks, providers, hosts
}

// Given reports whether the facts ask for authentication at all. A source or a database alone does not.
func (f *Facts) Given() bool {
	return f.Mechanism != "" || f.Username != nil || f.Password != nil
}

// ResolvedSource returns the database that authenticates. The facts must be valid.
func (f *Facts) ResolvedSource() string {
	rules, _ := RulesFor(Mechanism(f.Mechanism))
	switch {
	case f.Source != nil:
		return *f.Source
	case f.Database != "" && !rules.External:
		return f.Database
	}
	return rules.Fallback
}

// Property returns the value of a property, or its default when it is not given.
func (f *Facts) Property(name string) string {
	for _, key := range slices.Sorted(maps.Keys(f.Properties)) {
		if strings.EqualFold(key, name) {
			return f.Properties[key]
		}
	}
	rules, _ := PropertyRulesFor(name)
	return rules.Default
}

// Validate reports the first thing that is wrong with the facts. No error quotes a text of the program: it may be a secret in
// the wrong place.
func (f *Facts) Validate() error {
	if f.Source != nil && *f.Source == "" {
		return errors.New("auth: authSource is empty")
	}
	if !f.Given() {
		return nil
	}
	rules, ok := RulesFor(Mechanism(f.Mechanism))
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
	if rules.Mechanism == OIDC {
		return f.validateTokenSource()
	}
	return nil
}

func (f *Facts) validateUser(rules Rules) error {
	switch {
	case rules.Username == Required && (f.Username == nil || *f.Username == ""):
		if rules.Mechanism == Negotiated {
			return errors.New("auth: a user name is needed")
		}
		return fmt.Errorf("auth: %s needs a user name", rules.Mechanism)
	case rules.Username == Forbidden && f.Username != nil:
		return fmt.Errorf("auth: %s takes no user name", rules.Mechanism)
	case rules.Password == Required && f.Password == nil:
		return fmt.Errorf("auth: %s needs a password", rules.Mechanism)
	case rules.Password == Forbidden && f.Password != nil:
		return fmt.Errorf("auth: %s takes no password", rules.Mechanism)
	}
	return nil
}

func (f *Facts) validateProperties(mechanism Mechanism) error {
	for _, name := range slices.Sorted(maps.Keys(f.Properties)) {
		rules, err := propertyOf(mechanism, name)
		if err != nil {
			return err
		}
		if !rules.Text {
			return fmt.Errorf("auth: %s cannot be given as text", rules.Name)
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

func propertyOf(mechanism Mechanism, name string) (PropertyRules, error) {
	rules, ok := PropertyRulesFor(name)
	if name = rules.Name; !ok {
		name = "of the given name" // which may be a secret in the wrong place
	}
	if !ok || !slices.Contains(rules.Mechanisms, mechanism) {
		if mechanism == Negotiated {
			return rules, fmt.Errorf("auth: the property %s needs a mechanism", name)
		}
		return rules, fmt.Errorf("auth: %s has no property %s", mechanism, name)
	}
	return rules, nil
}

// validateTokenSource checks that access tokens come from exactly one place, and that the place has what it needs.
//
// Specification: auth/auth.md, "MONGODB-OIDC", "MongoCredential Properties".
func (f *Facts) validateTokenSource() error {
	environment := f.Property(Environment)
	var sources []string
	if environment != "" {
		sources = append(sources, Environment)
	}
	for _, name := range []string{OIDCCallback, OIDCHumanCallback} {
		if slices.ContainsFunc(f.Values, func(v string) bool { return strings.EqualFold(v, name) }) {
			sources = append(sources, name)
		}
	}
	switch {
	case len(sources) == 0:
		return fmt.Errorf("auth: %s needs %s, %s or %s", OIDC, Environment, OIDCCallback, OIDCHumanCallback)
	case len(sources) > 1:
		return fmt.Errorf("auth: %s and %s exclude each other", sources[0], sources[1])
	}
	rules, _ := EnvironmentRulesFor(environment)
	resource := f.Property(TokenResource)
	switch {
	case environment == "" && resource != "":
		return fmt.Errorf("auth: %s needs %s", TokenResource, Environment)
	case rules.Username == Forbidden && f.Username != nil:
		return fmt.Errorf("auth: %s %s takes no user name", Environment, environment)
	case rules.Resource == Required && resource == "":
		return fmt.Errorf("auth: %s %s needs %s", Environment, environment, TokenResource)
	case rules.Resource == Forbidden && resource != "":
		return fmt.Errorf("auth: %s %s takes no %s", Environment, environment, TokenResource)
	}
	return nil
}
