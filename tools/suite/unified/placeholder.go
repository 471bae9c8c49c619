package unified

import (
	"net/url"
	"strings"
)

// Placeholder stands for a value that the run knows.
const Placeholder = placeholder("")

type placeholder string

// inMemory is what takes the place of placeholders in the connection strings of deployments in memory, by option in lower
// case. An option whose value is empty is left out: these deployments ask for none.
var inMemory = map[string]string{
	"authmechanism":                             "SCRAM-SHA-256",
	"authmechanismproperties":                   "",
	"authmechanismproperties.environment":       "test",
	"authmechanismproperties.token_resource":    "",
	"authmechanismproperties.aws_session_token": "",
	"authsource":                                "admin",
}

// fillPlaceholder returns what takes the place of a placeholder in an option, which may be a property such as
// authMechanismProperties.ENVIRONMENT. The deployment's own connection string goes first. If ok is false, the option is
// left out. Unified Test Format, "$$placeholder".
func (o *uriOptions) fillPlaceholder(key string) (value string, ok bool) {
	if value, ok := o.lookUp(key); ok {
		return value, true
	}
	r := o.run
	if r.deployment.mem == nil {
		r.failf("the connection string of the deployment must have %s, which takes the place of a placeholder", key)
	}
	value, there := inMemory[strings.ToLower(key)]
	if !there {
		r.failf("nothing can take the place of a placeholder for %s", key)
	}
	if o.mechanism() == oidcMechanism {
		r.must(nameTokenFile(), "write the file with the token")
		if strings.EqualFold(key, "authMechanismProperties") {
			return "ENVIRONMENT:test", true
		}
	}
	return value, value != ""
}

// lookUp returns what the deployment's own connection string says of an option.
func (o *uriOptions) lookUp(key string) (string, bool) {
	option, property, nested := strings.Cut(key, ".")
	for _, pair := range strings.Split(o.own, "&") {
		name, value, _ := strings.Cut(pair, "=")
		text, err := url.QueryUnescape(value)
		if err != nil || !strings.EqualFold(name, option) {
			continue
		}
		if !nested {
			return text, true
		}
		for _, p := range strings.Split(text, ",") {
			if name, value, _ := strings.Cut(p, ":"); strings.EqualFold(name, property) {
				return value, true
			}
		}
	}
	return "", false
}
