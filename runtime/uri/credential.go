package uri

import (
	"maps"

	"github.com/specdrivers/onion/generated/core/authtable"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/fault"
)

// Credential is the credential of the connection string, ready for use: it is checked, and has the default source and
// the default properties of its mechanism. It is nil if the connection string does not ask for authentication. A
// database or a source without a user does not ask for it.
func (cs *ConnString) Credential() (*options.Credential, error) {
	given := cs.Options.Auth
	if given == nil {
		return nil, nil
	}
	facts := credentialFacts(given, cs.Database)
	if !facts.AskForAuthentication() {
		return nil, nil
	}
	if err := facts.Validate(); err != nil {
		if cs.own != nil && (cs.own.Auth == nil || credentialFacts(cs.own.Auth, cs.Database).Validate() == nil) {
			return nil, fault.OptionError{Reason: err.Error()}
		}
		return nil, refuse(err.Error())
	}
	resolved := *given
	resolved.AuthSource = new(facts.ResolvedSource())
	if name := facts.Property(authtable.ServiceName); name != "" && facts.Mechanism == string(authtable.GSSAPI) {
		resolved.AuthMechanismProperties = maps.Clone(given.AuthMechanismProperties)
		if resolved.AuthMechanismProperties == nil {
			resolved.AuthMechanismProperties = map[string]string{}
		}
		resolved.AuthMechanismProperties[authtable.ServiceName] = name
	}
	return &resolved, nil
}

// credentialFacts returns the input of the rules for credentials.
func credentialFacts(c *options.Credential, database string) *CredentialFacts {
	f := &CredentialFacts{
		Username: c.Username, Proof: c.Password != nil || c.PasswordCallback != nil, Source: c.AuthSource,
		Database: database, Properties: c.AuthMechanismProperties,
	}
	if c.AuthMechanism != nil {
		f.Mechanism = *c.AuthMechanism
	}
	if c.OIDCMachineCallback != nil {
		f.Values = append(f.Values, authtable.OIDCCallback)
	}
	if c.OIDCHumanCallback != nil {
		f.Values = append(f.Values, authtable.OIDCHumanCallback)
	}
	if c.OIDCAllowedHosts != nil {
		f.Values = append(f.Values, authtable.AllowedHosts)
	}
	if c.AWSCredentialProvider != nil {
		f.Values = append(f.Values, authtable.AWSCredentialProvider)
	}
	return f
}
