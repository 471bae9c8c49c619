package web

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"reflect"
	"time"

	"github.com/specdrivers/onion/generated/options"
)

// maxRedirects is how many redirects a client follows, as many as http.Client.
const maxRedirects = 10

// Client sends requests like http.DefaultClient: through the proxy that the environment names, and on to where an answer
// redirects them. It keeps no connection and accepts no compressed answer. The context of a request bounds all of it. The
// zero value is ready and safe for concurrent use.
type Client struct {
	// proxy replaces http.ProxyFromEnvironment, which reads the environment only once.
	proxy func(*http.Request) (*url.URL, error)
}

var _ options.HTTPClient = Client{}

// Or returns a client, or a Client when there is none. A nil pointer, such as an *http.Client that was never set, is none.
func Or(c options.HTTPClient) options.HTTPClient {
	if v := reflect.ValueOf(c); !v.IsValid() || v.Kind() == reflect.Pointer && v.IsNil() {
		return Client{}
	}
	return c
}

// Do sends a request and reads the whole answer. A body must come with GetBody, as http.NewRequest sets it, to follow a
// redirect. An error is a *url.Error, like one of http.Client.
func (c Client) Do(r *http.Request) (*http.Response, error) {
	for redirects := 0; ; redirects++ {
		response, err := c.exchange(r)
		if err == nil && redirects < maxRedirects {
			var next *http.Request
			if next, err = follow(r, response); next != nil {
				r = next
				continue
			}
		}
		if err != nil {
			return nil, &url.Error{Op: r.Method, URL: r.URL.Redacted(), Err: err}
		}
		return response, nil
	}
}

// exchange sends one request over a connection of its own.
func (c Client) exchange(r *http.Request) (*http.Response, error) {
	ctx := r.Context()
	through, err := c.proxyOf(r)
	if err != nil {
		return nil, err
	}
	nc, err := dial(ctx, r.URL, through)
	if err != nil {
		return nil, reason(ctx, err)
	}
	defer nc.Close()
	defer context.AfterFunc(ctx, func() { nc.SetDeadline(time.Unix(1, 0)) })()
	response, err := talk(nc, r, through)
	return response, reason(ctx, err)
}

// talk sends a request over a connection to its server or to a proxy, and reads the answer.
func talk(nc net.Conn, r *http.Request, through *url.URL) (*http.Response, error) {
	target, header, err := r.URL.RequestURI(), "", error(nil)
	if through != nil && !isSOCKS(through) {
		if through.Scheme == "https" {
			if nc, err = secure(r.Context(), nc, through); err != nil {
				return nil, err
			}
		}
		if r.URL.Scheme == "https" {
			err = tunnel(nc, r.URL, through)
		} else {
			target, header = "http://"+r.URL.Host+target, authorization(through)
		}
	}
	if err == nil && r.URL.Scheme == "https" {
		nc, err = secure(r.Context(), nc, r.URL)
	}
	if err != nil {
		return nil, err
	}
	message, err := encode(r, target, header)
	if err != nil {
		return nil, err
	}
	if _, err := nc.Write(message); err != nil {
		return nil, err
	}
	return read(nc)
}

// reason is why an exchange failed: the context, when that ended it.
func reason(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// follow is the request that an answer redirects to, nil when it does not. A request with a body keeps it where the status
// says so and is not followed otherwise: as GET it would ask for something else.
//
// RFC 9110, "Redirection 3xx".
func follow(r *http.Request, response *http.Response) (*http.Request, error) {
	location := response.Header.Get("Location")
	switch response.StatusCode {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther:
		if r.Method != http.MethodGet {
			return nil, nil
		}
	case http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
	default:
		return nil, nil
	}
	if location == "" || r.Body != nil && r.GetBody == nil {
		return nil, nil
	}
	to, err := r.URL.Parse(location)
	if err != nil {
		return nil, fmt.Errorf("the answer redirects to an invalid address: %w", err)
	}
	next := *r.WithContext(r.Context())
	next.URL, next.Host = to, ""
	if r.GetBody != nil {
		if next.Body, err = r.GetBody(); err != nil {
			return nil, err
		}
	}
	return &next, nil
}
