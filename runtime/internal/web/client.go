package web

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"time"
)

const (
	// MaxAnswerSize bounds the body of an answer.
	MaxAnswerSize = 1 << 20

	// MaxHeaderSize bounds the status line and the header of an answer.
	MaxHeaderSize = 256 << 10

	// maxTime bounds a request whose context has no deadline, from the connection to the end of the answer.
	maxTime = time.Minute
)

// Request is what to ask for.
type Request struct {
	Method  string
	Address string
	Header  map[string]string
	Body    []byte

	// Machine says that a service of the machine is asked. A proxy does not reach it, or reaches the one on its own
	// machine, and must not see the credentials that it gives out.
	Machine bool
}

// Answer is a whole answer. Line is the status with the reason in words, such as "404 Not Found".
type Answer struct {
	Status int
	Line   string
	Body   []byte
}

// Client sends requests. The zero value is ready. It is safe for concurrent use.
type Client struct{ own *http.Client }

// New makes a Client that sends all requests through the program's own client, unless that is nil.
func New(own *http.Client) Client { return Client{own} }

// Do sends a request and reads the whole answer. ctx bounds it.
func (c Client) Do(ctx context.Context, r Request) (Answer, error) {
	request, err := http.NewRequestWithContext(ctx, r.Method, r.Address, bytes.NewReader(r.Body))
	if err != nil {
		return Answer{}, err
	}
	request.Header.Set("User-Agent", "onion")
	for name, value := range r.Header {
		request.Header.Set(name, value)
	}
	client := c.own
	if client == nil {
		client = newClient(r.Machine)
	}
	response, err := client.Do(request)
	if err != nil {
		return Answer{}, err
	}
	defer response.Body.Close()
	body, err := ReadAll(response.Body, MaxAnswerSize)
	if err != nil {
		return Answer{}, fmt.Errorf("reading the answer of %s: %w", request.URL.Host, err)
	}
	return Answer{Status: response.StatusCode, Line: response.Status, Body: body}, nil
}

// newClient makes a client for one request. It keeps no connection: no goroutine stays, and there is nothing to close.
func newClient(machine bool) *http.Client {
	transport := &http.Transport{
		Proxy:                  http.ProxyFromEnvironment,
		DisableKeepAlives:      true,
		DisableCompression:     true, // a small answer may unpack to a large one
		MaxResponseHeaderBytes: MaxHeaderSize,
		Protocols:              new(http.Protocols),
	}
	transport.Protocols.SetHTTP1(true)
	if machine {
		transport.Proxy = nil
	}
	return &http.Client{
		Transport: transport,
		Timeout:   maxTime,
		// A request may hold a secret, and a redirect could lead it to anyone.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// ReadAll reads a body to its end, or fails if it is larger than a limit.
func ReadAll(body io.Reader, most int) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(body, int64(most)+1))
	if err == nil && len(data) > most {
		err = fmt.Errorf("the answer is larger than %d bytes", most)
	}
	return data, err
}
