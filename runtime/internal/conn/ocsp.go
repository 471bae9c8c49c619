package conn

import (
	"context"
	"crypto"
	"crypto/x509"
	"encoding/asn1"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/runtime/internal/callback"
	"github.com/specdrivers/onion/runtime/internal/web"
	"golang.org/x/crypto/ocsp"
)

const (
	// maxOCSPResponse limits the length of a responder's answer.
	maxOCSPResponse = 64 << 10

	// maxOCSPResponders limits how many endpoints of one certificate the driver asks.
	maxOCSPResponders = 8

	// maxOCSPCache limits how many answers the cache keeps.
	maxOCSPCache = 1024
)

// RevocationError says that a certificate has been revoked, or that it lacks the stapled response that it requires.
type RevocationError struct {
	Subject string
	Reason  string
}

func (e *RevocationError) Error() string {
	return fmt.Sprintf("the certificate of %s %s", e.Subject, e.Reason)
}

// revocation checks by OCSP whether certificates have been revoked. It does not fetch CRLs. It is safe for concurrent
// use.
type revocation struct {
	web       web.Client
	endpoints bool // whether the driver asks responders at all
	now       func() time.Time

	mu    sync.Mutex
	cache map[certID]*ocsp.Response
}

// certID identifies a certificate in the same way as an OCSP request.
type certID struct {
	issuerName, issuerKey, serial string
}

func newRevocation(client web.Client, endpoints bool) *revocation {
	return &revocation{web: client, endpoints: endpoints, now: time.Now, cache: map[certID]*ocsp.Response{}}
}

// check checks the leaf of a verified chain in the order that the OCSP specification suggests: the stapled response,
// then the must-staple extension, then the cache, then the responders. A certificate of unknown status passes. Only a
// certificate that is known to be revoked, or that lacks a required staple, fails.
func (r *revocation) check(ctx context.Context, stapled []byte, chains [][]*x509.Certificate) error {
	chain := chains[0]
	if len(chain) < 2 {
		return nil // no issuer could revoke a self-signed leaf that the program trusts
	}
	leaf, issuer := chain[0], chain[1]
	if len(stapled) > 0 {
		resp, err := r.parse(stapled, leaf, issuer)
		if err != nil {
			return &RevocationError{leaf.Subject.String(), fmt.Sprintf("came with an invalid stapled OCSP response: %v", err)}
		}
		if resp.Status != ocsp.Unknown {
			r.remember(leaf, issuer, resp)
			return verdict(leaf, resp)
		}
	} else if mustStaple(leaf) {
		return &RevocationError{leaf.Subject.String(), "must be stapled with an OCSP response and is not"}
	}
	if resp := r.recall(leaf, issuer); resp != nil {
		return verdict(leaf, resp)
	}
	if !r.endpoints || len(leaf.OCSPServer) == 0 {
		return nil
	}
	if resp := r.ask(ctx, leaf, issuer); resp != nil {
		r.remember(leaf, issuer, resp)
		return verdict(leaf, resp)
	}
	return nil
}

// checkRemembered checks the cache only.
func (r *revocation) checkRemembered(chains [][]*x509.Certificate) error {
	if chain := chains[0]; len(chain) >= 2 {
		if resp := r.recall(chain[0], chain[1]); resp != nil {
			return verdict(chain[0], resp)
		}
	}
	return nil
}

func verdict(leaf *x509.Certificate, resp *ocsp.Response) error {
	if resp.Status == ocsp.Revoked {
		return &RevocationError{leaf.Subject.String(), fmt.Sprintf("was revoked at %s", resp.RevokedAt.UTC().Format(time.RFC3339))}
	}
	return nil
}

// parse checks a response as RFC 6960, section 3.2, requires. The response must be about this certificate, be current,
// and be signed by the certificate's issuer or by a responder that the issuer named.
func (r *revocation) parse(der []byte, leaf, issuer *x509.Certificate) (*ocsp.Response, error) {
	resp, err := ocsp.ParseResponseForCert(der, leaf, issuer)
	if err != nil {
		return nil, err
	}
	if c := resp.Certificate; c != nil && !c.Equal(issuer) && !r.mayRespond(c) {
		return nil, errors.New("the signer is not an OCSP responder of the issuer")
	}
	if !r.isCurrent(resp) {
		return nil, fmt.Errorf("it is valid from %v to %v", resp.ThisUpdate, resp.NextUpdate)
	}
	return resp, nil
}

// mayRespond reports whether a delegated certificate is valid now and carries the extended key usage for signing OCSP
// responses. Package ocsp has checked that the issuer signed it.
//
// RFC 6960, section 3.2: the signer is currently authorized to provide a response.
func (r *revocation) mayRespond(c *x509.Certificate) bool {
	if now := r.now(); now.Before(c.NotBefore) || now.After(c.NotAfter) {
		return false
	}
	for _, usage := range c.ExtKeyUsage {
		if usage == x509.ExtKeyUsageOCSPSigning {
			return true
		}
	}
	return false
}

// isCurrent reports whether thisUpdate <= now < nextUpdate, without any tolerance.
func (r *revocation) isCurrent(resp *ocsp.Response) bool {
	now := r.now()
	if now.Before(resp.ThisUpdate) {
		return false
	}
	return resp.NextUpdate.IsZero() || now.Before(resp.NextUpdate)
}

func idOf(leaf, issuer *x509.Certificate) certID {
	return certID{
		issuerName: string(issuer.RawSubject),
		issuerKey:  string(issuer.RawSubjectPublicKeyInfo),
		serial:     leaf.SerialNumber.String(),
	}
}

func (r *revocation) recall(leaf, issuer *x509.Certificate) *ocsp.Response {
	id := idOf(leaf, issuer)
	r.mu.Lock()
	defer r.mu.Unlock()
	resp := r.cache[id]
	if resp != nil && !r.isCurrent(resp) {
		delete(r.cache, id)
		return nil
	}
	return resp
}

// remember keeps a conclusive response until its nextUpdate. Of two responses it keeps the fresher one.
func (r *revocation) remember(leaf, issuer *x509.Certificate, resp *ocsp.Response) {
	if resp.NextUpdate.IsZero() {
		return
	}
	id := idOf(leaf, issuer)
	r.mu.Lock()
	defer r.mu.Unlock()
	if old := r.cache[id]; old != nil && !resp.NextUpdate.After(old.NextUpdate) {
		return
	}
	if len(r.cache) >= maxOCSPCache {
		for stale := range r.cache { // any entry will do: the cache is far larger than a deployment
			delete(r.cache, stale)
			break
		}
	}
	r.cache[id] = resp
}

// ask sends the request to all responders at once and returns the first conclusive answer, or nil if there is none.
func (r *revocation) ask(ctx context.Context, leaf, issuer *x509.Certificate) *ocsp.Response {
	request, err := ocsp.CreateRequest(leaf, issuer, &ocsp.RequestOptions{Hash: crypto.SHA1})
	if err != nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, wire.OCSPTimeout)
	defer cancel()
	servers := leaf.OCSPServer[:min(len(leaf.OCSPServer), maxOCSPResponders)]
	answers := make(chan *ocsp.Response, len(servers))
	for _, server := range servers {
		go func() { answers <- r.askOne(ctx, server, request, leaf, issuer) }()
	}
	var found *ocsp.Response
	for range servers {
		// The loop waits for every answer, so no goroutine outlives the handshake. The first good answer cancels the
		// others.
		if resp := <-answers; resp != nil && found == nil {
			found = resp
			cancel()
		}
	}
	return found
}

func (r *revocation) askOne(ctx context.Context, server string, request []byte, leaf, issuer *x509.Certificate) *ocsp.Response {
	answer, err := callback.Call(ctx, "HTTPClient", func(ctx context.Context) (web.Answer, error) {
		return r.web.Do(ctx, web.Request{
			Method: "POST", Address: server, Body: request,
			Header: map[string]string{"Content-Type": "application/ocsp-request", "Accept": "application/ocsp-response"},
		})
	}, nil)
	if err != nil || answer.Status != http.StatusOK || len(answer.Body) > maxOCSPResponse {
		return nil
	}
	resp, err := r.parse(answer.Body, leaf, issuer)
	if err != nil || resp.Status == ocsp.Unknown {
		return nil
	}
	return resp
}

// oidTLSFeature is the extension of RFC 7633. Its feature number 5 means that a staple is required.
var oidTLSFeature = asn1.ObjectIdentifier{1, 3, 6, 1, 5, 5, 7, 1, 24}

const featureStatusRequest = 5

func mustStaple(leaf *x509.Certificate) bool {
	for _, ext := range leaf.Extensions {
		if !ext.Id.Equal(oidTLSFeature) {
			continue
		}
		var features []int
		if _, err := asn1.Unmarshal(ext.Value, &features); err != nil {
			return false
		}
		for _, feature := range features {
			if feature == featureStatusRequest {
				return true
			}
		}
	}
	return false
}
