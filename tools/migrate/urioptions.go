package main

import (
	"go/ast"
	"go/token"
	"regexp"
	"strings"
)

// Connection strings may have options that only the official driver knows. Onion logs a warning about them and goes on.

// uriOptions are these options, in lower case, with what the specification calls them.
var uriOptions = map[string]string{
	"connect=direct": "directConnection=true", "connect=automatic": "directConnection=false",
	"heartbeatintervalms=": "heartbeatFrequencyMS=", "maxstaleness=": "maxStalenessSeconds=",
	"sslclientcertificatekeyfile=": "tlsCertificateKeyFile=", "sslclientcertificatekeypassword=": "tlsCertificateKeyFilePassword=",
	"sslcertificateauthorityfile=": "tlsCAFile=", "sslinsecure=": "tlsInsecure=",
}

// ignoredURIOptions are those without a counterpart, with what to do.
var ignoredURIOptions = map[string]string{
	"tlscertificatefile=":   "put certificate and key into one file, and name it as tlsCertificateKeyFile",
	"tlsprivatekeyfile=":    "put certificate and key into one file, and name it as tlsCertificateKeyFile",
	"zstdcompressionlevel=": "the specification has no such option",
}

var uriOption = regexp.MustCompile(`(?i)[?&]\w+=(direct\b|automatic\b)?`)

// renameURIOptions gives such options in a text the names of the specification.
func (f *file) renameURIOptions(n *ast.BasicLit) {
	if n.Kind != token.STRING || !uriOption.MatchString(n.Value) {
		return
	}
	text := uriOption.ReplaceAllStringFunc(n.Value, func(found string) string {
		option := strings.ToLower(found[1:])
		name := option[:strings.IndexByte(option, '=')+1]
		if what := ignoredURIOptions[name]; what != "" {
			f.report(n, "the option %s of a connection string is ignored here: %s", strings.TrimSuffix(name, "="), what)
		}
		if to := uriOptions[option]; to != "" {
			return found[:1] + to
		}
		if to := uriOptions[name]; to != "" {
			return found[:1] + to + found[1+len(name):]
		}
		return found
	})
	if text != n.Value {
		f.replace(n, text)
	}
}
