package kms

import (
	"context"
	"strconv"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/kmstable"
)

// tokenOf returns a token that was fetched before and is still good, or fetches one. reserve is how much of its life it must
// have left. Two operations may fetch at the same time: a lock would make one wait for the other's deadline.
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
	return token{value: value, ends: asked.Add(lifetime(doc))}, nil
}

// lifetime is how long a token is good for: a number, or a number in a text. One that does not say is used once.
func lifetime(doc bson.Raw) time.Duration {
	const most = 1 << 31 // a service's number must not overflow
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

// bearer is a request with JSON that a token authorizes.
func bearer(to endpoint, path, accessToken, body string) request {
	return request{to: to, path: path, body: body, headers: []string{
		"Accept", "application/json", "Authorization", "Bearer " + accessToken, "Content-Type", "application/json", "Host", to.header(),
	}}
}

// form is a request for a token.
func form(to endpoint, path, body string) request {
	return request{to: to, path: path, body: body, headers: []string{
		"Accept", "application/json", "Content-Type", formType, "Host", to.header(),
	}}
}

// margin is how much of its life a token of OAuth must have left.
const margin = kmstable.TokenMargin
