package model

import (
	"slices"
	"strings"

	"github.com/specdrivers/onion/gen/load"
)

// Auth is what the emitter of package auth sees.
type Auth struct {
	Mechanisms   []AuthMechanism
	Properties   []AuthProperty
	Environments []AuthEnvironment
	Regions      []load.AuthRegion
	RegionRules  []load.AuthRegionRule
	Commands     []AuthCommand
	FaaS         []FaaS
	Credentials  []load.AuthCredential
}

// AuthMechanism is one mechanism. Username and Password are words of authNeeds.
type AuthMechanism struct {
	load.AuthMechanism
	SpeculativeName string // the Go name of the mechanism that hello may start with, or empty
}

// AuthProperty is one property with the Go names of its mechanisms.
type AuthProperty struct {
	load.AuthProperty
	MechanismNames []string
}

// AuthEnvironment is one built-in source of tokens.
type AuthEnvironment struct{ load.AuthEnvironment }

// AuthCommand is one command of a conversation.
type AuthCommand struct {
	Name, Command, Doc, Spec string
	Fields                   []AuthCommandField
}

// AuthCommandField is one argument and the field that holds it.
type AuthCommandField struct {
	Name, Key, In, Type, Doc string
	Optional                 bool
}

// FaaS is one function-as-a-service environment.
type FaaS struct {
	load.FaaSName
	OverName string // the Go name of the environment over which it takes precedence
}

var (
	authNeeds        = []string{"required", "optional", "forbidden"}
	authSources      = []string{"external", "database"}
	authTypes        = []string{"string", "callback", "provider", "hosts"}
	authCommandTypes = []string{"string", "binary", "bool", "int32"}
	faasFields       = map[string]string{"region": "string", "memory_mb": "int32", "timeout_sec": "int32"}
)

// authConstants are the rows that the code of package auth refers to.
var authConstants = []string{"Negotiated", "OIDC", "Environment", "TokenResource", "OIDCCallback", "OIDCHumanCallback"}

// authHosts are the kinds of hosts that the rules of regions distinguish.
var authHosts = []string{"empty", "long", "emptyLabel", "oneLabel", "global", "any"}

// NewAuth resolves and checks the authentication tables.
func NewAuth(t *load.Tables) *Auth {
	in := t.Auth()
	names := newGoNames(t)
	out := &Auth{Mechanisms: authMechanisms(t, names, in.Mechanisms.Rows)}
	out.Properties = authProperties(t, names, in.Properties.Rows, out.Mechanisms)
	out.Environments = authEnvironments(t, names, in.Environments.Rows)
	out.Commands = authCommands(t, names, in.Commands.Rows)
	out.FaaS = faas(t, names, in.FaaS.Rows)
	for _, name := range authConstants {
		if _, ok := names.seen[name]; !ok {
			t.Problemf(load.Pos{File: "specs/auth"}, "no row defines %s", name)
		}
	}
	twice := newUnique[string](t)
	for _, r := range in.Regions.Rows {
		twice.add("region "+r.Name, r.Name, r.At, "example %s is named twice", r.Name)
		out.Regions = append(out.Regions, r)
	}
	when := newUnique[string](t)
	for i, r := range in.Regions.Rules {
		checkSentence(t, r.At, r.Doc)
		checkOneOf(t, r.At, "when", r.When, authHosts)
		when.add(r.When, r.When, r.At, "a host that is %s has two rules", r.When)
		if (r.Region == "") == (r.Error == "") {
			t.Problemf(r.At, "a rule needs a region or an error")
		}
		if r.Region != "" {
			checkOneOf(t, r.At, "region", r.Region, []string{"default", "second"})
		}
		if (r.When == "any") != (i == len(in.Regions.Rules)-1) {
			t.Problemf(r.At, "the last rule, and no other, is for any host")
		}
	}
	out.RegionRules = in.Regions.Rules
	for _, r := range in.Credentials.Rows {
		twice.add("credential "+r.Name, r.Name, r.At, "example %s is named twice", r.Name)
		if (r.Source == "") == (r.Error == "") {
			t.Problemf(r.At, "example %s needs either a source or an error", r.Name)
		}
		out.Credentials = append(out.Credentials, r)
	}
	return out
}

func checkOneOf(t *load.Tables, at load.Pos, column, value string, words []string) {
	if !slices.Contains(words, value) {
		t.Problemf(at, "%s is %q; it is one of %s", column, value, strings.Join(words, ", "))
	}
}

func authMechanisms(t *load.Tables, names goNames, rows []load.AuthMechanism) []AuthMechanism {
	var out []AuthMechanism
	twice := newUnique[string](t)
	goName := map[string]string{}
	for _, r := range rows {
		names.add(r.Go, r.At)
		twice.add(r.Mechanism, r.Go, r.At, "mechanism %q is named twice", r.Mechanism)
		checkSentence(t, r.At, r.Doc)
		checkOneOf(t, r.At, "username", r.Username, authNeeds)
		checkOneOf(t, r.At, "password", r.Password, authNeeds)
		checkOneOf(t, r.At, "source", r.Source, authSources)
		goName[r.Mechanism] = r.Go
		out = append(out, AuthMechanism{AuthMechanism: r})
	}
	for i, m := range out {
		if m.Speculative != "" && goName[m.Speculative] == "" {
			t.Problemf(m.At, "no mechanism is called %s", m.Speculative)
		}
		if m.Speculative != "" {
			out[i].SpeculativeName = goName[m.Speculative]
		}
	}
	return out
}

func authProperties(t *load.Tables, names goNames, rows []load.AuthProperty, mechanisms []AuthMechanism) []AuthProperty {
	var out []AuthProperty
	twice := newUnique[string](t)
	for _, r := range rows {
		names.add(r.Go, r.At)
		twice.add(strings.ToUpper(r.Property), r.Go, r.At, "property %s is named twice", r.Property)
		checkSentence(t, r.At, r.Doc)
		checkOneOf(t, r.At, "type", r.Type, authTypes)
		if r.Default != "" && r.Values != nil {
			checkOneOf(t, r.At, "default", r.Default, r.Values)
		}
		p := AuthProperty{AuthProperty: r}
		for _, m := range r.Mechanisms {
			i := slices.IndexFunc(mechanisms, func(x AuthMechanism) bool { return x.Mechanism == m })
			if i < 0 {
				t.Problemf(r.At, "no mechanism is called %s", m)
				continue
			}
			p.MechanismNames = append(p.MechanismNames, mechanisms[i].Go)
		}
		out = append(out, p)
	}
	return out
}

func authEnvironments(t *load.Tables, names goNames, rows []load.AuthEnvironment) []AuthEnvironment {
	var out []AuthEnvironment
	for _, r := range rows {
		names.add(r.Go, r.At)
		checkSentence(t, r.At, r.Doc)
		checkOneOf(t, r.At, "username", r.Username, authNeeds)
		checkOneOf(t, r.At, "resource", r.Resource, authNeeds)
		if (r.URL == "") == (r.Path == "" && r.Files == nil) {
			t.Problemf(r.At, "environment %s needs either a url or files", r.Environment)
		}
		out = append(out, AuthEnvironment{r})
	}
	return out
}

func authCommands(t *load.Tables, names goNames, rows []load.AuthCommand) []AuthCommand {
	var out []AuthCommand
	for _, r := range rows {
		names.add(r.Go, r.At)
		checkSentence(t, r.At, r.Doc)
		c := AuthCommand{Name: r.Go, Command: r.Command, Doc: r.Doc, Spec: r.Spec}
		for _, f := range r.Fields {
			checkSentence(t, f.At, f.Doc)
			checkOneOf(t, f.At, "type", f.Type, authCommandTypes)
			c.Fields = append(c.Fields, AuthCommandField{
				Name: commandFieldName(f.Name), Key: f.Name, In: f.In, Type: f.Type, Doc: f.Doc, Optional: f.Optional,
			})
		}
		out = append(out, c)
	}
	return out
}

// commandFieldName is fieldName, except that it spells the argument db the way Go does.
func commandFieldName(name string) string {
	if len(name) == 2 {
		return strings.ToUpper(name)
	}
	return fieldName(name, "")
}

func faas(t *load.Tables, names goNames, rows []load.FaaSName) []FaaS {
	var out []FaaS
	goName := map[string]string{}
	for _, r := range rows {
		names.add(r.Go, r.At)
		checkSentence(t, r.At, r.Doc)
		goName[r.Name] = r.Go
		for _, p := range r.Prefixes {
			checkOneOf(t, p.At, "prefixes", p.Key, r.Variables)
		}
		for _, f := range r.Fields {
			if want, ok := faasFields[f.Field]; !ok || want != f.Type {
				t.Problemf(f.At, "field %s of type %s does not exist", f.Field, f.Type)
			}
		}
		out = append(out, FaaS{FaaSName: r})
	}
	for i, r := range out {
		if r.Over == "" {
			continue
		}
		if goName[r.Over] == "" {
			t.Problemf(r.At, "no environment is called %s", r.Over)
		}
		out[i].OverName = goName[r.Over]
	}
	return out
}
