package uri

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/uritable"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/concern"
	"github.com/specdrivers/onion/runtime/fault"
)

// ConnString is a parsed connection string. It never changes.
type ConnString struct {
	// SRV says that the scheme is mongodb+srv. Until Resolve, Hosts then holds the name to look up.
	SRV bool

	// Hosts are the servers. Each is host:port, with the host in lower case and an IPv6 address in brackets, or the
	// path of a unix domain socket.
	Hosts []string

	// Database is the database after the slash. Authentication uses it unless an option names another source.
	Database string

	// Options holds only what the connection string sets, without defaults.
	Options *options.Client

	// Warnings are the texts that the specification requires a driver to log.
	Warnings []string

	// Unknown holds the options that no driver knows, with their values in order. The driver ignores them, because
	// programs that share the connection string may keep their own settings there.
	Unknown map[string][]string

	own      *options.Client // what the string and its TXT record set, nil without a call of With
	resolved bool
	redacted string
}

// String is the connection string without its secrets.
func (cs *ConnString) String() string { return cs.redacted }

// Format prints what String returns, whatever the verb, for a value and for a pointer.
func (cs ConnString) Format(f fmt.State, _ rune) { fmt.Fprint(f, cs.redacted) }

// MarshalJSON encodes what String returns. The values of unknown options may be secrets, too.
func (cs ConnString) MarshalJSON() ([]byte, error) {
	return bson.Doc("uri", cs.redacted).MarshalJSON()
}

// With returns the connection string, with the fields that over sets instead of its own options. Validate checks
// whether they are compatible.
func (cs *ConnString) With(over *options.Client) *ConnString {
	merged := *cs
	merged.own = cmp.Or(cs.own, cs.Options)
	merged.Options = options.Merge(cs.Options, over)
	return &merged
}

// Validate checks the rules between options, the rules between options and hosts, and the range of each option. It also
// checks values that only a program can set. In a connection string such a value leads to a warning.
func (cs *ConnString) Validate() error {
	err := cs.check()
	if err == nil {
		return nil
	}
	if own := cs.own; own != nil {
		// The mistake is in the connection string if it is there even without the program's options.
		without := *cs
		if without.Options = own; without.check() == nil {
			return fault.OptionError{Reason: err.Error()}
		}
	}
	return refuse(err.Error())
}

func (cs *ConnString) check() error {
	if err := uritable.Validate(cs.Options, cs.SRV, len(cs.Hosts)); err != nil {
		return err
	}
	if err := checkUnits(cs.Options); err != nil {
		return err
	}
	if err := concern.ValidateWrite(cs.Options.WriteConcern); err != nil {
		return err
	}
	// Stable API, "ServerApiVersion enumeration": an unknown version is an error of the client. Servers may know more.
	if api := cs.Options.ServerAPI; api != nil && api.Version != options.ServerAPIVersion1 {
		return fmt.Errorf("ServerAPI: the Version %q is not a version of the stable API that this driver knows; %q is",
			api.Version, options.ServerAPIVersion1)
	}
	for _, name := range cs.Options.Compressors {
		if id, known := wire.CompressorByName(name); !known || id == wire.CompressorNoop {
			return fmt.Errorf("compressors: %q is not a compressor; snappy, zlib and zstd are", name)
		}
	}
	return nil
}

// checkUnits refuses durations that a program has written as bare numbers: time.Duration(30) is 30 nanoseconds.
func checkUnits(o *options.Client) error {
	for field, value := range reflect.ValueOf(o).Elem().Fields() {
		if d, ok := value.Interface().(*time.Duration); ok && d != nil && 0 < *d && *d < time.Microsecond {
			return fmt.Errorf("%s is %v: multiply the number by a unit, as in %d*time.Second", field.Name, *d, int64(*d))
		}
	}
	return nil
}

// Parse parses a connection string and checks it. Resolve checks a mongodb+srv string again, with the options and hosts
// from DNS.
func Parse(s string) (*ConnString, error) {
	cs, err := parse(s)
	if err != nil {
		return nil, err
	}
	if err := cs.Validate(); err != nil {
		return nil, err
	}
	return cs, nil
}

// ParseWith is Parse for a connection string with options that over overrides. It checks the result.
func ParseWith(s string, over *options.Client) (*ConnString, error) {
	cs, err := parse(s)
	if err != nil {
		return nil, err
	}
	cs = cs.With(over)
	if err := cs.Validate(); err != nil {
		return nil, err
	}
	return cs, nil
}

func parse(s string) (*ConnString, error) {
	cs := &ConnString{Options: &options.Client{}}
	switch {
	case s == "":
		return nil, refuse("the connection string is empty: it needs a scheme, as in mongodb://host; is the environment variable set?")
	case strings.TrimLeft(s, " \t\r\n\"'\ufeff") != s || strings.TrimRight(s, "\t\r\n") != s:
		return nil, refuse("the connection string begins or ends with white space or a quotation mark: remove it where the string is kept")
	}
	rest, ok := strings.CutPrefix(s, uritable.Scheme)
	prefix := uritable.Scheme
	if !ok {
		if rest, cs.SRV = strings.CutPrefix(s, uritable.SchemeSRV); !cs.SRV {
			return nil, noSchemeError(s)
		}
		prefix = uritable.SchemeSRV
	}
	if slices.ContainsFunc([]string{uritable.Scheme, uritable.SchemeSRV, "http://", "https://"}, func(scheme string) bool {
		return strings.HasPrefix(rest, scheme)
	}) {
		return nil, refuse("a second scheme follows the first: remove one of them, as in mongodb://localhost:27017")
	}
	authority, database, query, slash := split(rest)
	userinfo, hosts := "", authority
	at := strings.LastIndexByte(authority, '@')
	if at >= 0 {
		userinfo, hosts = authority[:at], authority[at+1:]
		if err := cs.parseUserinfo(userinfo); err != nil {
			return nil, err
		}
	}
	if at < 0 && !slash && strings.Contains(query, "@") {
		// Otherwise the text before an unescaped question mark in userinfo would be the host to connect to.
		return nil, refuse("the user name and password must be percent-encoded where they contain one of " + mustEscape)
	}
	if err := cs.parseHosts(hosts); err != nil {
		return nil, err
	}
	if err := cs.parseDatabase(database); err != nil {
		return nil, err
	}
	if text, err := unescape(s); err == nil && !utf8.ValidString(text) { // no server accepts such a text
		return nil, refuse("the connection string is not UTF-8 once its percent signs are decoded")
	}
	pairs, err := splitPairs(query)
	if err != nil {
		return nil, err
	}
	cs.keepUnknown(pairs)
	if at < 0 && strings.Contains(query, "@") {
		hidePairs(pairs)
	}
	if cs.Warnings, err = parseOptions(cs.Options, pairs); err != nil {
		return nil, fault.URIError{Reason: err.Error()}
	}
	cs.redacted = redact(prefix, userinfo, hosts, database, pairs)
	return cs, nil
}

func (cs *ConnString) keepUnknown(pairs []pair) {
	for _, pair := range pairs {
		if _, known := lookup(pair.Key); known {
			continue
		}
		if cs.Unknown == nil {
			cs.Unknown = map[string][]string{}
		}
		cs.Unknown[pair.Key] = append(cs.Unknown[pair.Key], pair.Value)
	}
}

// hidePairs removes the names of unknown options. If there is an at sign after the question mark and none before it,
// the text may be the end of a password that contains a question mark.
func hidePairs(pairs []pair) {
	for i := range pairs {
		if _, known := lookup(pairs[i].Key); !known {
			pairs[i].Key = redactedText
		}
	}
}

// split splits the string after the scheme into the hosts with their userinfo, the database and the options. The slash
// after the hosts may be missing.
func split(s string) (authority, database, query string, slash bool) {
	s, query, _ = strings.Cut(s, "?")
	authority, database, slash = strings.Cut(s, "/")
	return authority, database, query, slash
}

// forbiddenInDatabase lists the characters that a database name must not have.
const forbiddenInDatabase = "/\\ \"$"

func (cs *ConnString) parseDatabase(s string) error {
	database, err := unescape(s)
	if err != nil {
		return refuse("the database name is not percent-encoded correctly")
	}
	if i := strings.IndexAny(database, forbiddenInDatabase); i >= 0 {
		remedy := ": the options begin with a question mark, and a collection cannot be named here"
		if database[i] == '/' || database[i] == '\\' {
			remedy += "; a path to a unix domain socket must be percent-encoded"
		}
		return refuse("the database name must not contain " + quoteChar(database[i]) + remedy)
	}
	if strings.Contains(s, "@") {
		return refuse("the database name must not contain '@' unescaped; in user name and password, percent-encode " + mustEscape)
	}
	cs.Database = database
	return nil
}

// noSchemeError returns the error for a connection string that does not begin with a scheme.
func noSchemeError(s string) error {
	switch {
	case strings.HasPrefix(s, "$"), strings.HasPrefix(s, "%") && strings.HasSuffix(s, "%"):
		return refuse("the scheme is missing: the connection string is the name of a variable: pass its value instead, " +
			"with os.Getenv for an environment variable")
	case strings.HasPrefix(s, "mongodb:"), strings.HasPrefix(s, "mongodb/"),
		strings.HasPrefix(s, strings.TrimRight(uritable.SchemeSRV, ":/")):
		return refuse("the scheme ends in a colon and two slashes, as in mongodb://localhost:27017")
	case strings.Contains(s, "://"), strings.Contains(s, "@"): // the error does not quote a text that may hold a password
		return refuse("the scheme must be mongodb:// or mongodb+srv://, in lower case, as in mongodb://localhost:27017")
	}
	return refuse("the scheme is missing: it must be mongodb:// or mongodb+srv://, as in mongodb://" + s)
}

func refuse(reason string) error { return fault.URIError{Reason: reason} }

func quoteChar(c byte) string { return "'" + string(rune(c)) + "'" }

// redact rebuilds the string without the password and without the values of secret options.
func redact(prefix, userinfo, hosts, database string, pairs []pair) string {
	var b strings.Builder
	b.WriteString(prefix)
	if userinfo != "" {
		user, _, hasPassword := strings.Cut(userinfo, ":")
		b.WriteString(user)
		if hasPassword {
			b.WriteString(":" + redactedText)
		}
		b.WriteByte('@')
	}
	b.WriteString(hosts + "/" + database)
	for i, pair := range pairs {
		b.WriteByte("?&"[min(i, 1)])
		value := escape(pair.Value)
		if o, ok := lookup(pair.Key); !ok || o.Secret() || userinfo == "" && strings.Contains(value, "@") {
			value = redactedText
		}
		b.WriteString(pair.Key + "=" + value)
	}
	return b.String()
}

// redactedText replaces a secret. It needs no percent-encoding.
const redactedText = "xxxxx"
