package conn

import (
	"bytes"
	"context"
	"crypto"
	"crypto/x509"
	"encoding/asn1"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"golang.org/x/crypto/ocsp"
)

const (
	// ocspTimeout is how long all responders together may take when the context gives no shorter time.
	ocspTimeout = 5 * time.Second

	// maxOCSPResponse bounds what a responder can make the driver read.
	maxOCSPResponse = 64 << 10

	// maxOCSPResponders bounds how many endpoints of one certificate are asked.
	maxOCSPResponders = 8

	// maxOCSPCache bounds the answers that are remembered.
	maxOCSPCache = 1024
)

// HTTPClient sends requests. *http.Client is one.
type HTTPClient interface {
	Do(*http.Request) (*http.Response, error)
}

// RevocationError says that a certificate has been revoked, or must come with a proof that it has not and does not.
type RevocationError struct {
	Subject string
	Reason  string
}

func (e *RevocationError) Error() string {
	return fmt.Sprintf("the certificate of %s %s", e.Subject, e.Reason)
}

// revocation asks whether certificates have been revoked, by OCSP. CRLs are not fetched. It is safe for concurrent use.
type revocation struct {
	http      HTTPClient
	endpoints bool // whether responders are asked at all
	now       func() time.Time

	mu    sync.Mutex
	cache map[certID]*ocsp.Response
}

// certID names a certificate as an OCSP request does.
type certID struct {
	issuerName, issuerKey, serial string
}

func newRevocation(client HTTPClient, endpoints bool) *revocation {
	if client == nil {
		client = &http.Client{Timeout: ocspTimeout}
	}
	return &revocation{http: client, endpoints: endpoints, now: time.Now, cache: map[certID]*ocsp.Response{}}
}

// check decides about the leaf of a verified chain in the order that the OCSP specification suggests: the stapled
// response, then the must-staple extension, then the cache, then the responders. What stays unknown is let through:
// only a certificate that is known to be revoked, or that had to be stapled and was not, fails.
func (r *revocation) check(ctx context.Context, stapled []byte, chains [][]*x509.Certificate) error {
	chain := chains[0]
	if len(chain) < 2 {
		return nil // a self-signed leaf that the program trusts has no issuer that could revoke it
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
	if resp := r.remembered(leaf, issuer); resp != nil {
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

// checkRemembered decides by the cache alone.
func (r *revocation) checkRemembered(chains [][]*x509.Certificate) error {
	if chain := chains[0]; len(chain) >= 2 {
		if resp := r.remembered(chain[0], chain[1]); resp != nil {
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

// parse checks a response as RFC 6960, section 3.2, asks: it is about this certificate, signed by its issuer or a
// responder that the issuer named, and of the present time.
func (r *revocation) parse(der []byte, leaf, issuer *x509.Certificate) (*ocsp.Response, error) {
	resp, err := ocsp.ParseResponseForCert(der, leaf, issuer)
	if err != nil {
		return nil, err
	}
	if c := resp.Certificate; c != nil && !c.Equal(issuer) && !mayRespond(c) {
		return nil, errors.New("the signer is not an OCSP responder of the issuer")
	}
	if !r.current(resp) {
		return nil, fmt.Errorf("it is valid from %v to %v", resp.ThisUpdate, resp.NextUpdate)
	}
	return resp, nil
}

// mayRespond reports whether a delegated certificate carries the extended key usage for signing OCSP responses.
func mayRespond(c *x509.Certificate) bool {
	for _, usage := range c.ExtKeyUsage {
		if usage == x509.ExtKeyUsageOCSPSigning {
			return true
		}
	}
	return false
}

// current: thisUpdate <= now < nextUpdate, without any tolerance.
func (r *revocation) current(resp *ocsp.Response) bool {
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

func (r *revocation) remembered(leaf, issuer *x509.Certificate) *ocsp.Response {
	id := idOf(leaf, issuer)
	r.mu.Lock()
	defer r.mu.Unlock()
	resp := r.cache[id]
	if resp != nil && !r.current(resp) {
		delete(r.cache, id)
		return nil
	}
	return resp
}

// remember keeps a conclusive response until its nextUpdate; the fresher of two stays.
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
		for stale := range r.cache { // any one will do: the cache is far larger than a deployment
			delete(r.cache, stale)
			break
		}
	}
	r.cache[id] = resp
}

// ask sends the request to all responders at once and takes the first conclusive answer; nil means that there was none.
func (r *revocation) ask(ctx context.Context, leaf, issuer *x509.Certificate) *ocsp.Response {
	request, err := ocsp.CreateRequest(leaf, issuer, &ocsp.RequestOptions{Hash: crypto.SHA1})
	if err != nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, ocspTimeout)
	defer cancel()
	servers := leaf.OCSPServer[:min(len(leaf.OCSPServer), maxOCSPResponders)]
	answers := make(chan *ocsp.Response, len(servers))
	for _, server := range servers {
		go func() { answers <- r.askOne(ctx, server, request, leaf, issuer) }()
	}
	var found *ocsp.Response
	for range servers {
		// Every answer is waited for, so that no goroutine outlives the handshake; the first good one cancels the rest.
		if resp := <-answers; resp != nil && found == nil {
			found = resp
			cancel()
		}
	}
	return found
}

func (r *revocation) askOne(ctx context.Context, server string, request []byte, leaf, issuer *x509.Certificate) *ocsp.Response {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, server, bytes.NewReader(request))
	if err != nil {
		return nil
	}
	req.Header.Set("Content-Type", "application/ocsp-request")
	req.Header.Set("Accept", "application/ocsp-response")
	answer, err := r.http.Do(req)
	if err != nil {
		return nil
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return nil
	}
	der, err := io.ReadAll(io.LimitReader(answer.Body, maxOCSPResponse))
	if err != nil {
		return nil
	}
	resp, err := r.parse(der, leaf, issuer)
	if err != nil || resp.Status == ocsp.Unknown {
		return nil
	}
	return resp
}

// oidTLSFeature is RFC 7633's extension; its feature number 5 means that a staple is a must.
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
