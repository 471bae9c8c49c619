package auth

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"math"
	"net/url"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/authtable"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/internal/web"
)

// awsKeys finds the keys to sign with and caches those that it has fetched. It is safe for concurrent use. Two
// connections may fetch keys at the same time: with a lock, the connections that maxConnecting allows would wait for
// each other.
type awsKeys struct {
	provider options.AWSCredentialProvider
	client   web.Client
	getenv   func(string) string
	now      func() time.Time

	cached atomic.Pointer[options.AWSCredentials]
}

// AWSKeys finds keys of AWS for other services than authentication, in the same places. It is safe for concurrent use.
type AWSKeys struct{ keys awsKeys }

// NewAWSKeys makes an AWSKeys. It asks provider if there is one, and otherwise the usual places through client.
func NewAWSKeys(provider options.AWSCredentialProvider, client web.Client, getenv func(string) string) *AWSKeys {
	return &AWSKeys{awsKeys{provider: provider, client: client, getenv: getenv, now: time.Now}}
}

// CurrentKeys returns the keys to use now.
func (k *AWSKeys) CurrentKeys(ctx context.Context) (options.AWSCredentials, error) {
	return k.keys.currentKeys(ctx)
}

// currentKeys returns the keys to use now: the cached ones while they are valid, otherwise new ones. Keys in the
// environment are read each time. MONGODB-AWS, "Credential Fetching Order" and "Caching Credentials".
func (k *awsKeys) currentKeys(ctx context.Context) (options.AWSCredentials, error) {
	if have := k.cached.Load(); have != nil {
		if have.Expires.IsZero() || have.Expires.Sub(k.now()) > authtable.AWSExpiryMargin {
			return *have, nil
		}
		k.cached.CompareAndSwap(have, nil)
	}
	if k.provider == nil {
		if key, ok, err := k.environment(); ok || err != nil {
			return key, err
		}
	}
	key, err := k.fetch(ctx)
	if err != nil {
		return options.AWSCredentials{}, err
	}
	if key.AccessKeyID == "" || key.SecretAccessKey == "" {
		return options.AWSCredentials{}, errors.New("the AWS credentials lack the access key or the secret key")
	}
	k.cached.Store(&key)
	return key, nil
}

func (k *awsKeys) forget() { k.cached.Store(nil) }

// environment reads the keys that variables hold; ok is false when they hold none.
func (k *awsKeys) environment() (key options.AWSCredentials, ok bool, err error) {
	key = options.AWSCredentials{
		AccessKeyID:     k.getenv(authtable.AWSEnvAccessKeyID),
		SecretAccessKey: k.getenv(authtable.AWSEnvSecretAccessKey),
		SessionToken:    k.getenv(authtable.AWSEnvSessionToken),
	}
	switch {
	case key.AccessKeyID != "" && key.SecretAccessKey != "":
		return key, true, nil
	case key != options.AWSCredentials{}:
		return options.AWSCredentials{}, false, fmt.Errorf("the environment must hold both %s and %s",
			authtable.AWSEnvAccessKeyID, authtable.AWSEnvSecretAccessKey)
	}
	return key, false, nil
}

func (k *awsKeys) fetch(ctx context.Context) (options.AWSCredentials, error) {
	if k.provider != nil {
		key, err := call(ctx, "AWSCredentialProvider", k.provider)
		if err != nil {
			return key, fmt.Errorf("the AWS credential provider: %w", err)
		}
		return key, nil
	}
	ctx, cancel := context.WithTimeout(ctx, authtable.AWSEndpointTimeout)
	defer cancel()
	tokenFile, role := k.getenv(authtable.AWSEnvWebIdentityTokenFile), k.getenv(authtable.AWSEnvRoleARN)
	path := k.getenv(authtable.AWSEnvContainerURI)
	var key options.AWSCredentials
	var err error
	from := "the EC2 endpoint"
	switch {
	case tokenFile != "" && role != "":
		from = "web identity"
		key, err = k.webIdentity(ctx, tokenFile, role)
	case path != "":
		from = "the ECS endpoint"
		key, err = k.container(ctx, path)
	default:
		key, err = k.askMachine(ctx)
	}
	if err != nil {
		return key, fmt.Errorf("AWS credentials of %s: %w", from, err)
	}
	return key, nil
}

// webIdentity exchanges a token for keys. It sends the token in the body, because an address could end up in an error.
func (k *awsKeys) webIdentity(ctx context.Context, tokenFile, role string) (options.AWSCredentials, error) {
	token, err := os.ReadFile(tokenFile)
	if err != nil {
		return options.AWSCredentials{}, err
	}
	session := k.getenv(authtable.AWSEnvRoleSessionName)
	if session == "" {
		session = rand.Text()
	}
	form := url.Values{
		"Action":           {authtable.AWSAssumeRoleAction},
		"Version":          {authtable.AWSAssumeRoleVersion},
		"RoleArn":          {role},
		"RoleSessionName":  {session},
		"WebIdentityToken": {string(token)},
	}
	body, err := ask(ctx, k.client, web.Request{
		Method: "POST", Address: authtable.AWSSTSEndpoint, Body: []byte(form.Encode()),
		Header: map[string]string{"Content-Type": authtable.AWSContentType, "Accept": "application/json"},
	})
	if err != nil {
		return options.AWSCredentials{}, err
	}
	doc, err := parseJSON(body)
	if err != nil {
		return options.AWSCredentials{}, err
	}
	for _, outer := range []string{authtable.AWSAssumeRoleAction + "Response", authtable.AWSAssumeRoleAction + "Result", "Credentials"} {
		if inner, ok := doc.Lookup(outer).DocumentOK(); ok { // the service wraps its answer; some substitutes do not
			doc = inner
		}
	}
	return parseAWSKey(doc, "SessionToken")
}

// container asks the agent of ECS.
func (k *awsKeys) container(ctx context.Context, path string) (options.AWSCredentials, error) {
	body, err := get(ctx, k.client, authtable.AWSECSEndpoint+"/"+strings.TrimPrefix(path, "/"), nil)
	if err != nil {
		return options.AWSCredentials{}, err
	}
	return readAWSKey(body)
}

// askMachine asks the metadata service of EC2, version 2: first for a token, then for the role, then for the role's
// keys.
func (k *awsKeys) askMachine(ctx context.Context) (options.AWSCredentials, error) {
	const life = 3 * authtable.AWSEndpointTimeout // enough for three requests
	token, err := ask(ctx, k.client, web.Request{
		Method: "PUT", Address: authtable.AWSEC2Endpoint + authtable.AWSEC2TokenPath,
		Header: map[string]string{authtable.AWSEC2TokenTTLHeader: strconv.Itoa(int(life / time.Second))}, Machine: true,
	})
	if err != nil {
		return options.AWSCredentials{}, err
	}
	header := map[string]string{authtable.AWSEC2TokenHeader: strings.TrimSpace(string(token))}
	address := authtable.AWSEC2Endpoint + authtable.AWSEC2CredentialsPath
	list, err := get(ctx, k.client, address, header)
	if err != nil {
		return options.AWSCredentials{}, err
	}
	role, _, _ := strings.Cut(strings.TrimSpace(string(list)), "\n")
	if role == "" {
		return options.AWSCredentials{}, errors.New("the machine has no role")
	}
	body, err := get(ctx, k.client, address+url.PathEscape(role), header)
	if err != nil {
		return options.AWSCredentials{}, err
	}
	return readAWSKey(body)
}

func readAWSKey(body []byte) (options.AWSCredentials, error) {
	doc, err := parseJSON(body)
	if err != nil {
		return options.AWSCredentials{}, err
	}
	return parseAWSKey(doc, authtable.AWSFieldToken)
}

// parseAWSKey reads keys; tokenField is what this endpoint calls the session token.
func parseAWSKey(doc bson.Raw, tokenField string) (options.AWSCredentials, error) {
	var key options.AWSCredentials
	key.AccessKeyID, _ = doc.Lookup(authtable.AWSFieldAccessKeyID).StringOK()
	key.SecretAccessKey, _ = doc.Lookup(authtable.AWSFieldSecretAccessKey).StringOK()
	key.SessionToken, _ = doc.Lookup(tokenField).StringOK()
	var err error
	key.Expires, err = expirationOf(doc.Lookup(authtable.AWSFieldExpiration))
	return key, err
}

// expirationOf reads when keys expire. It refuses the zero time, which would mean that they never expire.
func expirationOf(v bson.RawValue) (time.Time, error) {
	var at time.Time
	if text, ok := v.StringOK(); ok {
		at, _ = time.Parse(time.RFC3339, text)
	} else if seconds, ok := v.AsFloat64OK(); ok { // as STS writes it in JSON
		if math.Abs(seconds) < maxSeconds {
			at = time.Unix(int64(seconds), 0)
		}
	} else {
		return at, errors.New("the answer has no Expiration")
	}
	if at.IsZero() {
		return at, fmt.Errorf("the field Expiration is not a time: %.100s", v)
	}
	return at, nil
}

// maxSeconds is beyond the year 9999, the last year that a text can name.
const maxSeconds = 1 << 38
