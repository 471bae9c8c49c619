package uri_test

import (
	"strings"
	"testing"

	"github.com/specdrivers/onion/runtime/uri"
)

// A message names the place of the mistake, and hints at what to write instead.
func TestMistakesAreNamed(t *testing.T) {
	const escaped = "the user name and password must be percent-encoded where they contain one of @:/?#[]%"
	const notUTF8 = "the connection string is not UTF-8 once its percent signs are decoded"
	for in, want := range map[string]string{
		"":                                 "the connection string is empty: it needs a scheme, as in mongodb://host; is the environment variable set?",
		" mongodb://h":                     "begins or ends with white space or a quotation mark: remove it where the string is kept",
		"\"mongodb://h\"":                  "begins or ends with white space or a quotation mark: remove it where the string is kept",
		"mongodb://h\n":                    "begins or ends with white space or a quotation mark: remove it where the string is kept",
		"mongodb//h":                       "the scheme ends in a colon and two slashes, as in mongodb://localhost:27017",
		"mongodb+srv:/h":                   "the scheme ends in a colon and two slashes, as in mongodb://localhost:27017",
		"%URI%":                            "with os.Getenv for an environment variable",
		"mongodb://mongodb+srv://h":        "a second scheme follows the first: remove one of them, as in mongodb://localhost:27017",
		"mongodb://ada:<pass>@h":           "(a real one that has them is written with %3C and %3E)",
		"mongodb://ada:%3Cpass%3E@h":       "",
		"localhost:27017/shop":             "the scheme is missing: it must be mongodb:// or mongodb+srv://, as in mongodb://localhost:27017/shop",
		"http://h":                         "the scheme must be mongodb:// or mongodb+srv://, in lower case, as in mongodb://localhost:27017",
		"mongodb://":                       "there is no host (a path to a unix domain socket must be percent-encoded)",
		"mongodb://:p@h":                   "the user name is empty",
		"mongodb://u@x:p@h":                escaped,
		"mongodb://u:a/b@h":                "host 1 of 1 has a port that is not a number from 1 to 65535",
		"Xmongodb://h":                     "the scheme must be mongodb:// or mongodb+srv://, in lower case, as in mongodb://localhost:27017",
		"mongodb://u?:p@h":                 escaped,
		"mongodb://%zz:p@h":                "the user name is not percent-encoded correctly",
		"mongodb://u:%zz@h":                "the password is not percent-encoded correctly",
		"mongodb://X:X@X":                  "",
		"mongodb+srv://X.b.c":              "",
		"mongodb://a,h:0":                  "host 2 of 2 has a port that is not a number from 1 to 65535",
		"mongodb://%zz,b":                  "host 1 of 2 is not percent-encoded correctly",
		"mongodb://a,,b":                   "host 2 of 3 is empty",
		"mongodb://%2Ftmp%2Fx":             "has a slash: the path of a unix domain socket ends in .sock and is percent-encoded",
		"mongodb://[::1":                   "has no closing bracket",
		"mongodb://[1.2.3.4]":              "is in brackets and not an IPv6 address",
		"mongodb://[::1]x":                 "has something other than a port after the bracket",
		"mongodb://h|":                     "host 1 of 1 has a character that is not allowed in a host name: separate hosts by commas, and replace variables such as ${HOST} first",
		"mongodb+srv://a.b.c,d.e.f":        "a mongodb+srv:// string names exactly one host",
		"mongodb+srv://%zz":                "the host is not percent-encoded correctly",
		"mongodb+srv://a.b.c:1":            "a mongodb+srv:// string takes a name without a port: the DNS records have the ports; for one server use mongodb://",
		"mongodb+srv://[a]":                "a mongodb+srv:// string takes a name without a port: the DNS records have the ports; for one server use mongodb://",
		"mongodb+srv://..":                 "the host is empty",
		"mongodb+srv://a|b":                "the host has a character that is not allowed in a host name",
		"mongodb://h/a%zz":                 "the database name is not percent-encoded correctly",
		"mongodb://h/a%2Fb":                "the database name must not contain '/': the options begin with a question mark, and a collection cannot be named here; a path to a unix domain socket must be percent-encoded",
		"mongodb://h/a%5Cb":                "the database name must not contain '\\': the options begin with a question mark, and a collection cannot be named here; a path to a unix domain socket must be percent-encoded",
		"mongodb://h/a%20b":                "the database name must not contain ' ': the options begin with a question mark, and a collection cannot be named here",
		"mongodb://h/a%22b":                "the database name must not contain '\"': the options begin with a question mark, and a collection cannot be named here",
		"mongodb://h/a%24b":                "the database name must not contain '$': the options begin with a question mark, and a collection cannot be named here",
		"mongodb://h/%FF":                  notUTF8,
		"mongodb://%FF:p@h":                notUTF8,
		"mongodb://u:%C3@h":                notUTF8,
		"mongodb://h/?appName=%E2%82":      notUTF8,
		"mongodb://h/?appName=\xff":        notUTF8,
		"mongodb://h/?%FF=a":               notUTF8,
		"mongodb://h/?appName=%C3%A9":      "",
		"mongodb://h/a$b":                  "the database name must not contain '$': the options begin with a question mark, and a collection cannot be named here",
		"mongodb://h/a@b":                  "the database name must not contain '@' unescaped; in user name and password, percent-encode @:/?#[]%",
		"mongodb://h/?a":                   "an option is not of the form key=value",
		"mongodb://h/?=a":                  "as in mongodb://host/database?key=value",
		"mongodb://h/?%zz=a":               "the name of an option is not percent-encoded correctly",
		"mongodb://h/?appName=%zz":         "the value of option appName is not percent-encoded correctly",
		"mongodb://h/?a=b&&c=d&":           "",
		"mongodb://h/?directConnection=%C": "the value of option directConnection is not percent-encoded correctly",
	} {
		t.Run(in, func(t *testing.T) {
			cs, err := uri.Parse(in)
			whole := !strings.Contains(want, "65535") && !strings.HasSuffix(want, "key=value") || strings.HasPrefix(want, "as in")
			switch {
			case err == nil && want == "":
			case want == "":
				t.Error(err)
			case err == nil:
				t.Errorf("it is %v", cs)
			case !strings.HasPrefix(err.Error(), "uri: "), !strings.Contains(err.Error(), want), whole && !strings.HasSuffix(err.Error(), want):
				t.Errorf("got  %v\nwant %s", err, want)
			}
		})
	}
}

// A connection string is printed without the values that may be secret.
func TestPrintedStringsKeepTheRest(t *testing.T) {
	for in, want := range map[string]string{
		"mongodb://h":                           "mongodb://h/",
		"mongodb://h:1,g/":                      "mongodb://h:1,g/",
		"mongodb://u@h/db":                      "mongodb://u@h/db",
		"mongodb://u:p@h/db":                    "mongodb://u:xxxxx@h/db",
		"mongodb://u:@h":                        "mongodb://u:xxxxx@h/",
		"mongodb+srv://u:p@a.b.c/":              "mongodb+srv://u:xxxxx@a.b.c/",
		"mongodb://h/?appName=a%26b%3Dc%23d%25": "mongodb://h/?appName=a%26b%3Dc%23d%25",
		"mongodb://h/db?appName=a&w=1":          "mongodb://h/db?appName=a&w=1",
		"mongodb://h/?mystery=secret&w=1":       "mongodb://h/?mystery=xxxxx&w=1",
		"mongodb://h/?appName=a@b&mystery=c":    "mongodb://h/?appName=xxxxx&xxxxx=xxxxx",
		"mongodb://u:p@h/?appName=a@b":          "mongodb://u:xxxxx@h/?appName=a@b",
	} {
		t.Run(in, func(t *testing.T) {
			cs, err := uri.Parse(in)
			if err != nil {
				t.Fatal(err)
			}
			if got := cs.String(); got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		})
	}
}

func TestPartsOfAConnectionString(t *testing.T) {
	cs, err := uri.Parse("mongodb://us%40er:p%3Aw+d@A:1,a:1,B,[::1]/d%20b?appName=x")
	if err == nil {
		t.Errorf("a database with a space: %v", cs)
	}
	cs, err = uri.Parse("mongodb://us%40er:p%3Aw+d@A:1,a:1,B,[::1]/d.b?appName=x%3D=y&mystery=1&Mystery2=&mystery=2")
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(cs.Hosts, " "); got != "a:1 b:27017 [::1]:27017" {
		t.Errorf("hosts %s", got)
	}
	auth := cs.Options.Auth
	if cs.SRV || cs.Database != "d.b" || *auth.Username != "us@er" || *auth.Password != "p:w+d" || *cs.Options.AppName != "x==y" {
		t.Errorf("got %v, %q, %q, %q", cs.Database, *auth.Username, *auth.Password, *cs.Options.AppName)
	}
	if got := strings.Join(cs.Unknown["mystery"], ","); got != "1,2" || len(cs.Unknown) != 2 {
		t.Errorf("unknown %v", cs.Unknown)
	}
	if name, service := cs.SRVName(); name != "" || service != "" {
		t.Errorf("it polls %q, %q", name, service)
	}
	if cs, err = uri.Parse("mongodb://u@h"); err != nil || cs.Options.Auth.Password != nil {
		t.Errorf("without a password: %v", err)
	}
}

func TestMarshalJSONNamesTheString(t *testing.T) {
	cs, err := uri.Parse("mongodb://u:p@h")
	if err != nil {
		t.Fatal(err)
	}
	got, err := cs.MarshalJSON()
	if err != nil || strings.ReplaceAll(string(got), " ", "") != `{"uri":"mongodb://u:xxxxx@h/"}` {
		t.Errorf("%s, %v", got, err)
	}
}
