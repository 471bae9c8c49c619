package web

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"os"
	"time"

	"github.com/specdrivers/onion/generated/options"
)

// OK is the status of a success.
const OK = 200

// The statuses that redirect. The first three make a GET of other requests. RFC 9110, "Redirection 3xx".
const (
	movedPermanently  = 301
	found             = 302
	seeOther          = 303
	temporaryRedirect = 307
	permanentRedirect = 308
)

// maxRedirects is how many redirects a client follows, as many as http.Client.
const maxRedirects = 10

// Request is what to ask for. The fields of Header are single ones.
type Request struct {
	Method  string
	Address string
	Header  map[string]string
	Body    []byte
}

// Answer is a whole answer. Line is the status with the reason in words, such as "404 Not Found".
type Answer struct {
	Status int
	Line   string
	Body   []byte

	location string // where a redirect leads
}

// Client sends requests like http.DefaultClient: through the proxy that the environment names, and on to where an answer
// redirects them. It keeps no connection and accepts no compressed answer. The zero value is ready. It is safe for
// concurrent use.
type Client struct {
	theirs *theirs             // does all of it, if it is set
	getenv func(string) string // nil is os.Getenv
}

// New makes a Client that leaves all to the program's own, unless that is nil. A nil pointer is nil, such as an *http.Client
// that was never set.
func New(own options.HTTPClient) (Client, error) {
	t, err := newTheirs(own)
	return Client{theirs: t}, err
}

// Do sends a request and reads the whole answer. ctx bounds it. An error is a *url.Error, like one of http.Client.
func (c Client) Do(ctx context.Context, r Request) (Answer, error) {
	if c.theirs != nil {
		return c.theirs.do(ctx, r)
	}
	to, err := url.Parse(r.Address)
	if err != nil {
		return Answer{}, err
	}
	for redirects := 0; ; redirects++ {
		answer, err := c.exchange(ctx, r, to)
		var next *url.URL
		if err == nil && redirects < maxRedirects {
			next, err = follow(r, to, answer)
		}
		if err != nil {
			return Answer{}, &url.Error{Op: r.Method, URL: to.Redacted(), Err: err}
		}
		if next == nil {
			return answer, nil
		}
		to = next
	}
}

// exchange sends one request over a connection of its own.
func (c Client) exchange(ctx context.Context, r Request, to *url.URL) (Answer, error) {
	getenv := c.getenv
	if getenv == nil {
		getenv = os.Getenv
	}
	through, err := proxyFor(to, getenv)
	if err != nil {
		return Answer{}, err
	}
	nc, err := dial(ctx, to, through)
	if err != nil {
		return Answer{}, reason(ctx, err)
	}
	defer nc.Close()
	defer context.AfterFunc(ctx, func() { nc.SetDeadline(time.Unix(1, 0)) })()
	answer, err := talk(ctx, nc, r, to, through)
	return answer, reason(ctx, err)
}

// talk sends a request over a connection to its server or to a proxy, and reads the answer.
func talk(ctx context.Context, nc net.Conn, r Request, to, through *url.URL) (Answer, error) {
	target, header, err := to.RequestURI(), "", error(nil)
	if through != nil && !isSOCKS(through) {
		if through.Scheme == "https" {
			if nc, err = secure(ctx, nc, through); err != nil {
				return Answer{}, err
			}
		}
		if to.Scheme == "https" {
			err = tunnel(nc, to, through)
		} else {
			target, header = "http://"+to.Host+target, authorization(through)
		}
	}
	if err == nil && to.Scheme == "https" {
		nc, err = secure(ctx, nc, to)
	}
	if err != nil {
		return Answer{}, err
	}
	message, err := encode(r, target, to.Host, header)
	if err != nil {
		return Answer{}, err
	}
	if _, err := nc.Write(message); err != nil {
		return Answer{}, err
	}
	return Read(nc, maxAnswerSize)
}

// reason is why an exchange failed: the context, when that ended it.
func reason(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// follow is where an answer redirects to, nil when it does not. A request that is no GET is followed only where it keeps its
// method and body: as a GET it would ask for something else.
func follow(r Request, from *url.URL, answer Answer) (*url.URL, error) {
	switch answer.Status {
	case movedPermanently, found, seeOther:
		if r.Method != "GET" {
			return nil, nil
		}
	case temporaryRedirect, permanentRedirect:
	default:
		return nil, nil
	}
	if answer.location == "" {
		return nil, nil
	}
	to, err := from.Parse(answer.location)
	if err != nil {
		return nil, fmt.Errorf("the answer redirects to an invalid address: %w", err)
	}
	return to, nil
}
