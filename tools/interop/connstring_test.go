package interop

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"net/url"
	"slices"
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/x/mongo/driver/connstring"

	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/uri"
)

// parts is the content of a connection string. The specification's grammar builds the string from it.
type parts struct {
	User, Password *string
	Hosts          []string
	Database       string
	Options        map[string]string
}

// Connection string, "URI Format".
func (p *parts) String() string {
	var b strings.Builder
	b.WriteString("mongodb://")
	if p.User != nil {
		b.WriteString(escape(*p.User))
		if p.Password != nil {
			b.WriteString(":" + escape(*p.Password))
		}
		b.WriteByte('@')
	}
	b.WriteString(strings.Join(p.Hosts, ",") + "/" + escape(p.Database))
	mark := "?"
	for _, key := range slices.Sorted(maps.Keys(p.Options)) {
		b.WriteString(mark + key + "=" + escape(p.Options[key]))
		mark = "&"
	}
	return b.String()
}

func escape(s string) string { return strings.ReplaceAll(url.QueryEscape(s), "+", "%20") }

// optionValues are options with good values. The test compares both parsers' results field by field.
var optionValues = map[string][]string{
	"appName":                  {"shop", "a b", "käse", "100%", "a&b=c", "x/y?z", "me@corp"},
	"replicaSet":               {"rs0", "rs 1"},
	"maxPoolSize":              {"0", "1", "500"},
	"minPoolSize":              {"0", "3"},
	"connectTimeoutMS":         {"0", "1", "20000"},
	"serverSelectionTimeoutMS": {"1", "30000"},
	"retryWrites":              {"true", "false"},
	"tls":                      {"true", "false"},
	"w":                        {"1", "3", "majority", "zone"},
	"journal":                  {"true", "false"},
	"readPreference":           {"primary", "secondary", "nearest"},
	"readConcernLevel":         {"majority", "local"},
	"compressors":              {"zlib", "zstd,snappy"},
	"localThresholdMS":         {"0", "15"},
	"serverMonitoringMode":     {"auto", "stream", "poll"},
}

var (
	userTexts = []string{"ada", "a:b", "a@b", "a/b", "käse", "a%b", "a?b", "a#b", "a[b]", "$x", "a,b", "a=b", "a+b", "a b"}
	hostTexts = []string{"h", "h:1", "H.Example:27018", "1.2.3.4", "[::1]", "[fe80::1]:3", "a-b_c.d:65535", "%2Ftmp%2Fmongodb-27017.sock"}
	dbTexts   = []string{"", "db", "a-b", "käse", "a#b", "a?b", "a%b", "a:b"}
)

func randomParts(r *rand.Rand) *parts {
	p := &parts{Options: map[string]string{}}
	if r.IntN(2) == 0 {
		p.User = pick(r, userTexts)
		if r.IntN(3) > 0 {
			p.Password = pick(r, userTexts)
		}
	}
	for range 1 + r.IntN(3) {
		if host := *pick(r, hostTexts); !slices.Contains(p.Hosts, host) {
			p.Hosts = append(p.Hosts, host)
		}
	}
	p.Database = *pick(r, dbTexts)
	keys := slices.Sorted(maps.Keys(optionValues))
	for range r.IntN(4) {
		key := keys[r.IntN(len(keys))]
		p.Options[key] = *pick(r, optionValues[key])
	}
	if p.Password == nil && p.User != nil {
		p.Options["authMechanism"] = "MONGODB-X509" // the mechanism needs no password
	}
	return p
}

func pick(r *rand.Rand, list []string) *string { return &list[r.IntN(len(list))] }

// Parsing a string of the grammar returns the parts that it was built from.
func TestConnectionStringsOfTheGrammar(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		p := randomParts(r)
		cs, err := uri.Parse(p.String())
		if err != nil {
			if strings.Contains(err.Error(), "minPoolSize") && p.Options["minPoolSize"] != "" {
				continue // a rule between options
			}
			t.Fatalf("%s: %v", p, err)
		}
		if len(cs.Warnings) > 0 {
			t.Errorf("%s: %q", p, cs.Warnings)
		}
		var hosts []string
		for _, host := range p.Hosts {
			if host, _ = url.PathUnescape(host); !strings.HasSuffix(host, ".sock") {
				if host = strings.ToLower(host); !strings.Contains(host[strings.LastIndexByte(host, ']')+1:], ":") {
					host += ":27017"
				}
			}
			hosts = append(hosts, host)
		}
		if !slices.Equal(cs.Hosts, hosts) || cs.Database != p.Database {
			t.Errorf("%s: hosts %q, database %q", p, cs.Hosts, cs.Database)
		}
		auth := cs.Options.Auth
		if auth == nil {
			auth = &options.Credential{}
		}
		if deref(auth.Username) != deref(p.User) || deref(auth.Password) != deref(p.Password) {
			t.Errorf("%s: user %q, password %q", p, deref(auth.Username), deref(auth.Password))
		}
		if got := deref(cs.Options.AppName); got != p.Options["appName"] {
			t.Errorf("%s: appName %q", p, got)
		}
	}
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// mutate spoils a connection string in up to three places.
func mutate(r *rand.Rand, s string) string {
	alphabet := []string{"/", ":", "@", "?", "&", "=", ",", "%", "[", "]", "#", ".", " ", "+", "\\", "\n", "$", "\"", "%2F", "%40", "%zz", "0", "-", "é", "\xff", ".sock", "//"}
	for range r.IntN(4) {
		at := len("mongodb://") + r.IntN(len(s)-len("mongodb://")+1)
		switch r.IntN(3) {
		case 0:
			s = s[:at] + *pick(r, alphabet) + s[at:]
		case 1:
			if at < len(s) {
				s = s[:at] + s[at+1:]
			}
		default:
			if at < len(s) {
				s = s[:at] + *pick(r, alphabet) + s[at+1:]
			}
		}
		if len(s) <= len("mongodb://") {
			return s
		}
	}
	return s
}

// reading is a parser's result for a connection string; Err says that the parser refuses it.
type reading struct {
	Err    error
	Fields map[string]string
}

func readOurs(s string) reading {
	cs, err := uri.Parse(s)
	if err == nil {
		_, err = cs.Credential()
	}
	if err != nil {
		return reading{Err: err}
	}
	o := cs.Options
	var hosts []string
	for _, host := range cs.Hosts {
		hosts = append(hosts, strings.TrimSuffix(host, ":27017"))
	}
	fields := map[string]string{"hosts": strings.Join(hosts, ","), "database": cs.Database, "appName": deref(o.AppName), "replicaSet": deref(o.ReplicaSet)}
	if o.Auth != nil {
		fields["user"], fields["password"] = deref(o.Auth.Username), deref(o.Auth.Password)
	}
	set(fields, "maxPoolSize", o.MaxPoolSize)
	set(fields, "minPoolSize", o.MinPoolSize)
	set(fields, "connectTimeoutMS", o.ConnectTimeout)
	set(fields, "retryWrites", o.RetryWrites)
	set(fields, "tls", o.TLS)
	fields["compressors"] = strings.Join(o.Compressors, ",")
	return reading{Fields: fields}
}

func readTheirs(s string) reading {
	cs, err := connstring.ParseAndValidate(s)
	if err != nil {
		return reading{Err: err}
	}
	var hosts []string
	for _, host := range cs.Hosts {
		if !strings.Contains(host, "/") {
			host = strings.ToLower(host)
		}
		if host = strings.TrimSuffix(host, ":27017"); !slices.Contains(hosts, host) {
			hosts = append(hosts, host)
		}
	}
	fields := map[string]string{"hosts": strings.Join(hosts, ","), "database": cs.Database, "appName": cs.AppName, "replicaSet": cs.ReplicaSet}
	if cs.UsernameSet {
		fields["user"], fields["password"] = cs.Username, cs.Password
	}
	if cs.MaxPoolSizeSet {
		fields["maxPoolSize"] = fmt.Sprint(cs.MaxPoolSize)
	}
	if cs.MinPoolSizeSet {
		fields["minPoolSize"] = fmt.Sprint(cs.MinPoolSize)
	}
	if cs.ConnectTimeoutSet {
		fields["connectTimeoutMS"] = fmt.Sprint(cs.ConnectTimeout)
	}
	if cs.RetryWritesSet {
		fields["retryWrites"] = fmt.Sprint(cs.RetryWrites)
	}
	if cs.SSLSet {
		fields["tls"] = fmt.Sprint(cs.SSL)
	}
	fields["compressors"] = strings.Join(cs.Compressors, ",")
	return reading{Fields: fields}
}

func set[T any](fields map[string]string, name string, value *T) {
	if value != nil {
		fields[name] = fmt.Sprint(*value)
	}
}

// nameDifference names the field in which two readings differ, "accepted" when only ours accepts, "refused" when only ours
// refuses, and nothing when they agree.
func nameDifference(ours, theirs reading) string {
	switch {
	case ours.Err == nil && theirs.Err != nil:
		return "accepted"
	case ours.Err != nil && theirs.Err == nil:
		return "refused"
	case ours.Err != nil:
		return ""
	}
	for _, name := range slices.Sorted(maps.Keys(ours.Fields)) {
		if ours.Fields[name] != theirs.Fields[name] {
			return name
		}
	}
	return ""
}
