package kms

import (
	"context"
	"strconv"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/kmstable"
)

// tokenOf returns a cached token that is valid for at least reserve more, or fetches one. Two operations may fetch at the same time: a
// lock would make one wait for the other's deadline.
func (s *Service) tokenOf(ctx context.Context, name string, reserve time.Duration,
	fetch func(context.Context) (token, error)) (string, error) {
	s.mu.Lock()
	have, ok := s.tokens[name]
	s.mu.Unlock()
	if ok && have.ends.Sub(s.now()) > reserve {
		return have.value, nil
	}
	fresh, err := fetch(ctx)
	if err != nil {
		return "", err
	}
	s.mu.Lock()
	s.tokens[name] = fresh
	s.mu.Unlock()
	return fresh.value, nil
}

// login fetches a token of OAuth.
func (s *Service) login(ctx context.Context, p *provider, r request) (token, error) {
	asked := s.now()
	doc, err := s.post(ctx, p, r)
	if err != nil {
		return token{}, err
	}
	value, err := text(doc, kmstable.FieldAccessToken)
	if err != nil {
		return token{}, err
	}
	return token{value: value, ends: asked.Add(lifetimeOf(doc))}, nil
}

// lifetimeOf returns how long a token is valid: a number, or a number in a text. A token that does not say is used once.
func lifetimeOf(doc bson.Raw) time.Duration {
	const most = 1 << 31 // a larger number from a service could overflow
	value := doc.Lookup(kmstable.FieldExpiresIn)
	seconds, ok := value.AsInt64OK()
	if text, isText := value.StringOK(); isText {
		n, err := strconv.ParseInt(text, 10, 64)
		seconds, ok = n, err == nil
	}
	if !ok {
		return 0
	}
	return time.Duration(max(0, min(seconds, most))) * time.Second
}

const formType = "application/x-www-form-urlencoded"

// newBearerRequest makes a request with a JSON body, authorized by a token.
func newBearerRequest(to endpoint, path, accessToken, body string) request {
	return request{to: to, path: path, body: body, headers: []string{
		"Accept", "application/json", "Authorization", "Bearer " + accessToken, "Content-Type", "application/json", "Host", to.header(),
	}}
}

// newFormRequest makes a request for a token.
func newFormRequest(to endpoint, path, body string) request {
	return request{to: to, path: path, body: body, headers: []string{
		"Accept", "application/json", "Content-Type", formType, "Host", to.header(),
	}}
}

// margin is how much longer an OAuth token must be valid.
const margin = kmstable.TokenMargin
