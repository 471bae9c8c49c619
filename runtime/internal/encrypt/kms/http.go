package kms

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/kmstable"
	"github.com/specdrivers/onion/runtime/internal/web"
)

// request is a POST request to a service.
type request struct {
	to      endpoint
	path    string
	headers []string // names and values alternate
	body    string
}

// bytes returns the request as it is sent. It refuses control characters in headers, because they could begin another request.
func (r request) bytes() ([]byte, error) {
	var b strings.Builder
	b.WriteString("POST " + r.path + " HTTP/1.1\r\nConnection:close\r\nContent-Length:" + strconv.Itoa(len(r.body)) + "\r\n")
	for i := 0; i < len(r.headers); i += 2 {
		b.WriteString(r.headers[i] + ":" + r.headers[i+1] + "\r\n")
	}
	lines := strings.Count(b.String(), "\n")
	if want := 3 + len(r.headers)/2; lines != want || strings.Count(b.String(), "\r") != want {
		return nil, errors.New("encrypt: a credential or a field of the master key has a line break")
	}
	b.WriteString("\r\n" + r.body)
	return []byte(b.String()), nil
}

// post sends a request, retries it if need be, and returns the JSON of the answer.
func (s *Service) post(ctx context.Context, p *provider, r request) (bson.Raw, error) {
	message, err := r.bytes()
	if err != nil {
		return nil, err
	}
	var doc bson.Raw
	err = s.retry(ctx, func() (passing bool, err error) {
		network := s.exchange(ctx, p.id, r.to, message, func(answer *bufio.Reader) error {
			var lost error
			doc, passing, err, lost = p.interpret(answer)
			return lost
		})
		if network != nil {
			return isPassing(network), fmt.Errorf("encrypt: a request to the KMS provider %s at %s: %w", p.id, r.to.address(), network)
		}
		return passing, err
	})
	return doc, err
}

// isPassingStatus reports whether a request is worth another attempt after a response with the status.
func isPassingStatus(p kmstable.Provider, status int) bool {
	return slices.Contains(p.Retry, status) || p.RetryFrom > 0 && status >= p.RetryFrom
}

// interpret reads an answer. It returns the JSON of a success, or an error and whether a retry may help. lost is an error of the
// network.
func (p *provider) interpret(r *bufio.Reader) (doc bson.Raw, passing bool, err, lost error) {
	status, body, lost := readAnswer(r)
	defer clear(body)
	switch {
	case lost != nil:
		return nil, false, nil, lost
	case status != http.StatusOK:
		return nil, isPassingStatus(p.Provider, status), statusError(status, body), nil
	}
	// No error quotes a successful answer: it may hold a key or a token.
	if doc, err = bson.ExtJSONToRaw(body, false); err != nil {
		return nil, false, fmt.Errorf("encrypt: error parsing JSON in KMS response: HTTP status=%d", status), nil
	}
	return doc, false, nil, nil
}

// readAnswer reads the final answer. Interim answers with a status below 200 may come first.
func readAnswer(r io.Reader) (status int, body []byte, err error) {
	b := bufio.NewReader(io.LimitReader(r, kmstable.MaxAnswerSize+web.MaxHeaderSize))
	for {
		answer, err := http.ReadResponse(b, nil)
		if err != nil {
			return 0, nil, err
		}
		if answer.StatusCode >= http.StatusOK {
			body, err = web.ReadAll(answer.Body, kmstable.MaxAnswerSize)
			return answer.StatusCode, body, err
		}
	}
}

// maxQuotedSize bounds how much of an answer an error quotes.
const maxQuotedSize = 4 << 10

func statusError(status int, body []byte) error {
	if len(body) == 0 {
		return fmt.Errorf("encrypt: error in KMS response: HTTP status=%d, empty body", status)
	}
	return fmt.Errorf("encrypt: error in KMS response: HTTP status=%d, response body=\n%s", status, body[:min(len(body), maxQuotedSize)])
}

// text returns a field of an answer.
func text(doc bson.Raw, field string) (string, error) {
	value, ok := doc.Lookup(field).StringOK()
	if !ok || value == "" {
		return "", fmt.Errorf("encrypt: the answer of the KMS has no field %s: HTTP status=%d", field, http.StatusOK)
	}
	return value, nil
}
