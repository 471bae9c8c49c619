package unified

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/specdrivers/onion/bson"
)

// uriOptions are the options that a client entity adds to the connection string of the deployment.
type uriOptions struct {
	run *Run
	own string // the query of the deployment's connection string
	set bson.D
}

// addOptions puts options into a connection string, in place of those that it has.
func (r *Run) addOptions(uri string, set bson.D) string {
	head, query, _ := strings.Cut(uri, "?")
	o := &uriOptions{run: r, own: query, set: set}
	direct, _ := lookupFold(set, "directConnection")
	if direct == true {
		head = firstHost(head)
	}
	if m := o.mechanism(); m == oidcMechanism || m == awsMechanism {
		head = withoutUser(head)
	}
	var kept []string
	for _, pair := range strings.Split(query, "&") {
		name, _, _ := strings.Cut(pair, "=")
		_, replaced := lookupFold(set, name)
		if direct == true && strings.EqualFold(name, "replicaSet") {
			replaced = true
		}
		if pair != "" && !replaced {
			kept = append(kept, pair)
		}
	}
	for _, e := range set {
		if e.Key == "readPreferenceTags" {
			for _, tags := range e.Value.(bson.A) {
				kept = append(kept, e.Key+"="+url.QueryEscape(tags.(string)))
			}
			continue
		}
		if value, ok := o.text(e.Key, e.Value); ok {
			kept = append(kept, e.Key+"="+url.QueryEscape(value))
		}
	}
	if !strings.Contains(strings.SplitN(head, "://", 2)[1], "/") {
		head += "/"
	}
	return head + "?" + strings.Join(kept, "&")
}

func firstHost(head string) string {
	scheme, rest, _ := strings.Cut(head, "://")
	hosts, path, _ := strings.Cut(rest, "/")
	first, _, _ := strings.Cut(hosts, ",")
	return scheme + "://" + first + "/" + path
}

// withoutUser drops name and password, which belong to another mechanism.
func withoutUser(head string) string {
	scheme, rest, _ := strings.Cut(head, "://")
	hosts, path, _ := strings.Cut(rest, "/")
	if i := strings.LastIndex(hosts, "@"); i >= 0 {
		hosts = hosts[i+1:]
	}
	return scheme + "://" + hosts + "/" + path
}

// mechanism returns the mechanism of authentication that the client names.
func (o *uriOptions) mechanism() string {
	v, _ := lookupFold(o.set, "authMechanism")
	name, _ := v.(string)
	return name
}

// text returns the value of an option as a connection string has it; false leaves the option out.
func (o *uriOptions) text(key string, v any) (string, bool) {
	switch v := v.(type) {
	case bson.A:
		var parts []string
		for _, item := range v {
			if part, ok := o.text(key, item); ok {
				parts = append(parts, part)
			}
		}
		return strings.Join(parts, ","), true
	case bson.D:
		var parts []string
		for _, e := range v {
			if part, ok := o.text(key+"."+e.Key, e.Value); ok {
				parts = append(parts, e.Key+":"+part)
			}
		}
		return strings.Join(parts, ","), len(parts) > 0 || len(v) == 0
	case placeholder:
		return o.fillPlaceholder(key)
	case nil: // not set
		return "", false
	case string:
		return v, true
	}
	return fmt.Sprint(v), true
}
