package uri

import (
	"net/url"
	"strings"

	"github.com/specdrivers/onion/generated/options"
)

// mustEscape lists the characters that userinfo must percent-encode.
const mustEscape = "@:/?#[]%"

// parseUserinfo reads user:password. Connection string, "Userinfo".
func (cs *ConnString) parseUserinfo(s string) error {
	user, password, hasPassword := strings.Cut(s, ":")
	if user == "" {
		return refuse("the user name is empty")
	}
	if strings.ContainsAny(user+password, "@:/?#[]") {
		return refuse("the user name and password must be percent-encoded where they contain one of " + mustEscape)
	}
	if isPlaceholder(user) || isPlaceholder(password) {
		return refuse("the user name or the password is a placeholder in angle brackets: put the real one there, without the brackets " +
			"(a real one that has them is written with %3C and %3E)")
	}
	name, err := unescape(user)
	if err != nil {
		return refuse("the user name is not percent-encoded correctly")
	}
	cs.Options.Auth = &options.Credential{Username: &name}
	if hasPassword {
		secret, err := unescape(password)
		if err != nil {
			return refuse("the password is not percent-encoded correctly")
		}
		cs.Options.Auth.Password = &secret
	}
	return nil
}

// isPlaceholder recognizes the placeholders in connection strings on web pages, such as <password>. RFC 3986, section
// 3.2.1, allows no unescaped angle brackets in userinfo.
func isPlaceholder(s string) bool {
	return len(s) > 2 && s[0] == '<' && s[len(s)-1] == '>'
}

// unescape decodes percent-encoding. A plus sign stays a plus sign.
func unescape(s string) (string, error) { return url.PathUnescape(s) }

// escape encodes the characters that would end a value.
func escape(s string) string {
	return strings.NewReplacer("%", "%25", "&", "%26", "=", "%3D", "#", "%23").Replace(s)
}

// splitPairs splits the options and decodes them. The value is everything after the first equals sign.
func splitPairs(query string) ([]pair, error) {
	var pairs []pair
	for _, part := range strings.Split(query, "&") {
		if part == "" {
			continue
		}
		key, value, ok := strings.Cut(part, "=")
		if !ok || key == "" {
			return nil, refuse("an option is not of the form key=value; the name of the database comes before the question mark, " +
				"as in mongodb://host/database?key=value")
		}
		key, err := unescape(key)
		if err != nil {
			return nil, refuse("the name of an option is not percent-encoded correctly")
		}
		if value, err = unescape(value); err != nil {
			return nil, refuse("the value of option " + key + " is not percent-encoded correctly")
		}
		pairs = append(pairs, pair{Key: key, Value: value})
	}
	return pairs, nil
}
