package kmstest

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/specdrivers/onion/generated/core/kmip"
	"github.com/specdrivers/onion/generated/core/kmstable"
)

// TestSignature runs the case post-vanilla of Amazon's signature test suite.
func TestSignature(t *testing.T) {
	q, err := http.ReadRequest(bufio.NewReader(strings.NewReader(
		"POST / HTTP/1.1\r\nHost:example.amazonaws.com\r\nX-Amz-Date:20150830T123600Z\r\n\r\n")))
	if err != nil {
		t.Fatal(err)
	}
	s := scope{date: "20150830", region: "us-east-1", service: "service", headers: []string{"host", "x-amz-date"}}
	const want = "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"
	if got := s.sign(&call{Request: q}, "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"); got != want {
		t.Errorf("the signature is %s, want %s", got, want)
	}
}

// dial speaks to a server over TLS.
func dial(t *testing.T, s *Server, host string) *tls.Conn {
	t.Helper()
	nc, err := s.Connect(t.Context(), host+":443")
	if err != nil {
		t.Fatal(err)
	}
	config := s.TLS("any")["any"].Clone()
	config.ServerName = host
	return tls.Client(nc, config)
}

// post sends a request and returns the status and the JSON of the answer.
func post(t *testing.T, s *Server, address string, body string, headers ...string) (int, map[string]any) {
	t.Helper()
	to, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	nc := dial(t, s, to.Host)
	defer nc.Close()
	q, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		q.Header.Set(headers[i], headers[i+1])
	}
	q.Close = true
	if err := q.Write(nc); err != nil {
		t.Fatal(err)
	}
	a, err := http.ReadResponse(bufio.NewReader(nc), q)
	if err != nil {
		return 0, nil
	}
	defer a.Body.Close()
	data, err := io.ReadAll(a.Body)
	if err != nil {
		t.Fatal(err)
	}
	var doc map[string]any
	if err := json.Unmarshal(data, &doc); err != nil {
		t.Fatal(err)
	}
	return a.StatusCode, doc
}

// postSigned sends a request to AWS KMS.
func postSigned(t *testing.T, s *Server, region string, a AWSAccount, target, body string) (int, map[string]any) {
	t.Helper()
	host := fmt.Sprintf(kmstable.AWSHost, region)
	sc := scope{
		accessKeyID: a.AccessKeyID, date: "20260101", region: region, service: "kms",
		headers: []string{"content-length", "host", "x-amz-date", "x-amz-target"},
	}
	q, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "https://"+host+"/", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	q.Header.Set("X-Amz-Date", "20260101T000000Z")
	q.Header.Set("X-Amz-Target", target)
	credential := a.AccessKeyID + "/20260101/" + region + "/kms/aws4_request"
	return post(t, s, "https://"+host+"/", body,
		"X-Amz-Date", "20260101T000000Z", "X-Amz-Target", target, "X-Amz-Security-Token", a.SessionToken,
		"Content-Type", kmstable.AWSContentType, "Authorization",
		"AWS4-HMAC-SHA256 Credential="+credential+", SignedHeaders="+strings.Join(sc.headers, ";")+
			", Signature="+sc.sign(&call{Request: q, body: []byte(body)}, a.SecretAccessKey))
}

func TestAWS(t *testing.T) {
	s := Start(t, Published())
	account, arn := s.accounts[0], publishedARNs[0]
	temporary := s.account("temporary")
	encrypt := `{"Plaintext": "YWJj", "KeyId": "` + arn + `"}`
	status, wrapped := postSigned(t, s, "us-east-1", account, kmstable.AWSTargetEncrypt, encrypt)
	if status != http.StatusOK {
		t.Fatalf("Encrypt: %d %v", status, wrapped)
	}
	decrypt := `{"CiphertextBlob": "` + wrapped["CiphertextBlob"].(string) + `"}`
	foreign := `{"CiphertextBlob": "AQICAHg="}`
	altered := account
	altered.SecretAccessKey += "?"
	withoutToken := temporary
	withoutToken.SessionToken = ""
	for _, c := range []struct {
		name, region string
		account      AWSAccount
		target, body string
		status       int
		want         string
	}{
		{"decrypts", "us-east-1", account, kmstable.AWSTargetDecrypt, decrypt, 200, `"Plaintext":"YWJj"`},
		{"temporary credentials", "us-east-1", temporary, kmstable.AWSTargetDecrypt, decrypt, 200, "YWJj"},
		{"credentials without their token", "us-east-1", withoutToken, kmstable.AWSTargetDecrypt, decrypt, 400, "security token"},
		{"a wrong secret", "us-east-1", altered, kmstable.AWSTargetDecrypt, decrypt, 400, "InvalidSignature"},
		{"an unknown account", "us-east-1", AWSAccount{AccessKeyID: "x"}, kmstable.AWSTargetDecrypt, decrypt, 400, "UnrecognizedClient"},
		{"the key of another account", "us-east-1", s.account("name2"), kmstable.AWSTargetDecrypt, decrypt, 400, "InvalidCiphertext"},
		{"another region", "us-east-2", account, kmstable.AWSTargetEncrypt, encrypt, 400, "NotFound"},
		{"what somebody else wrapped", "us-east-1", account, kmstable.AWSTargetDecrypt, foreign, 200, "Tqh"},
		{"the same in another region", "us-east-2", account, kmstable.AWSTargetDecrypt, foreign, 400, "InvalidCiphertext"},
		{"no plaintext", "us-east-1", account, kmstable.AWSTargetEncrypt, "{}", 400, "ValidationException"},
		{"no ciphertext", "us-east-1", account, kmstable.AWSTargetDecrypt, `{"CiphertextBlob": "?"}`, 400, "ValidationException"},
		{"no operation", "us-east-1", account, "Sign", "{}", 400, "UnknownOperation"},
	} {
		t.Run(c.name, func(t *testing.T) {
			status, answer := postSigned(t, s, c.region, c.account, c.target, c.body)
			text, _ := json.Marshal(answer)
			if status != c.status || !strings.Contains(string(text), c.want) {
				t.Errorf("got %d %s, want %d and %s", status, text, c.status, c.want)
			}
		})
	}
	if status, _ := post(t, s, "https://kms.us-east-1.amazonaws.com/", "{}", "X-Amz-Target", kmstable.AWSTargetEncrypt); status != 400 {
		t.Errorf("a request that is not signed is answered with %d", status)
	}
}

func TestAzure(t *testing.T) {
	s := Start(t, Published())
	status, doc := post(t, s, "https://"+kmstable.AzureLoginHost+fmt.Sprintf(kmstable.AzureTokenPath, azureTenant),
		url.Values{
			"grant_type": {"client_credentials"}, "client_id": {azureClient}, "client_secret": {azureSecret}, "scope": {"s"},
		}.Encode())
	token, _ := doc["access_token"].(string)
	if status != http.StatusOK || token == "" {
		t.Fatalf("the answer for a token is %d %v", status, doc)
	}
	const vault = "https://drivers-3392-key-vault.vault.azure.net/keys/"
	body := `{"alg": "RSA-OAEP-256", "value": "YWJj"}`
	status, doc = post(t, s, vault+"drivers-3392-keyname//wrapkey?api-version=7.1", body, "Authorization", "Bearer "+token)
	if status != http.StatusOK {
		t.Fatalf("wrapkey: %d %v", status, doc)
	}
	again := `{"alg": "RSA-OAEP-256", "value": "` + doc["value"].(string) + `"}`
	for _, c := range []struct {
		name, path, token, body string
		status                  int
		value                   string
	}{
		{"unwraps", "drivers-3392-keyname//unwrapkey?api-version=7.1", token, again, 200, "YWJj"},
		{"a version", "drivers-3392-keyname/7/unwrapkey?api-version=7.1", AccessToken, again, 200, "YWJj"},
		{"an unknown token", "drivers-3392-keyname//unwrapkey?api-version=7.1", "other", again, 401, ""},
		{"an unknown key", "other//unwrapkey?api-version=7.1", token, again, 404, ""},
		{"no version of the API", "drivers-3392-keyname//unwrapkey", token, again, 400, ""},
		{"no value", "drivers-3392-keyname//unwrapkey?api-version=7.1", token, `{"alg": "RSA-OAEP-256", "value": "!"}`, 400, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			status, doc := post(t, s, vault+c.path, c.body, "Authorization", "Bearer "+c.token)
			if value, _ := doc["value"].(string); status != c.status || value != c.value {
				t.Errorf("got %d %v, want %d and %q", status, doc, c.status, c.value)
			}
		})
	}
	status, _ = post(t, s, "https://"+kmstable.AzureLoginHost+fmt.Sprintf(kmstable.AzureTokenPath, azureTenant),
		"grant_type=client_credentials&scope=s&client_id="+azureClient+"&client_secret=other")
	if status != http.StatusUnauthorized {
		t.Errorf("a wrong secret is answered with %d", status)
	}
}

func TestGCP(t *testing.T) {
	s := Start(t)
	const key = "https://" + kmstable.GCPHost + "/v1/projects/p/locations/l/keyRings/r/cryptoKeys/k"
	status, doc := post(t, s, key+"/cryptoKeyVersions/3:encrypt", `{"plaintext": "YWJj"}`, "Authorization", "Bearer "+AccessToken)
	if status != http.StatusOK {
		t.Fatalf("encrypt: %d %v", status, doc)
	}
	body := `{"ciphertext": "` + doc["ciphertext"].(string) + `"}`
	status, doc = post(t, s, key+":decrypt", body, "Authorization", "Bearer "+AccessToken)
	if status != http.StatusOK || doc["plaintext"] != "YWJj" {
		t.Errorf("decrypt: %d %v", status, doc)
	}
	if status, doc = post(t, s, key+"2:decrypt", body, "Authorization", "Bearer "+AccessToken); status != http.StatusBadRequest {
		t.Errorf("another key: %d %v", status, doc)
	}
	if status, doc = post(t, s, key+":decrypt", body); status != http.StatusUnauthorized {
		t.Errorf("no token: %d %v", status, doc)
	}
	status, doc = post(t, s, "https://"+kmstable.GCPLoginHost+"/token",
		url.Values{"grant_type": {kmstable.GCPGrant}, "assertion": {"e30.e30.AA"}}.Encode())
	if status != http.StatusBadRequest {
		t.Errorf("an assertion that is not signed: %d %v", status, doc)
	}
}

// ask sends a KMIP message and returns the contents of the only item in the answer.
func ask(t *testing.T, s *Server, operation uint32, payload ...item) item {
	t.Helper()
	nc := dial(t, s, "localhost")
	defer nc.Close()
	version := structure(kmip.TagProtocolVersion,
		integer(kmip.TagProtocolVersionMajor, kmip.TypeInteger, 1), integer(kmip.TagProtocolVersionMinor, kmip.TypeInteger, 2))
	header := structure(kmip.TagRequestHeader, version, integer(kmip.TagBatchCount, kmip.TypeInteger, 1))
	message := structure(kmip.TagRequestMessage, header, structure(kmip.TagBatchItem,
		enumeration(kmip.TagOperation, operation), structure(kmip.TagRequestPayload, payload...)))
	if _, err := nc.Write(message.bytes()); err != nil {
		t.Fatal(err)
	}
	head := make([]byte, 8)
	if _, err := io.ReadFull(nc, head); err != nil {
		t.Fatal(err)
	}
	rest := make([]byte, int(head[6])<<8|int(head[7]))
	if _, err := io.ReadFull(nc, rest); err != nil {
		t.Fatal(err)
	}
	answer, _, err := parse(append(head, rest...))
	if err != nil {
		t.Fatal(err)
	}
	heading := answer.find(kmip.TagResponseHeader)
	if heading.find(kmip.TagBatchCount).number() != 1 || len(heading.find(kmip.TagTimeStamp).value) != 8 {
		t.Error("the header of the answer lacks its count or its time")
	}
	if answer.tag != kmip.TagResponseMessage {
		t.Errorf("the answer has the tag %x", answer.tag)
	}
	return answer.find(kmip.TagBatchItem)
}

// attribute makes an attribute for a new key.
func attribute(name string, value item) item {
	return structure(kmip.TagAttribute, text(kmip.TagAttributeName, name), value)
}

// template describes a key of the given number of bits.
func template(bits uint32) item {
	value := func(kind byte, v uint32) item { return integer(kmip.TagAttributeValue, kind, v) }
	return structure(kmip.TagTemplateAttribute,
		attribute("Cryptographic Algorithm", value(kmip.TypeEnumeration, kmip.AlgorithmAES)),
		attribute("Cryptographic Length", value(kmip.TypeInteger, bits)),
		attribute("Cryptographic Usage Mask", value(kmip.TypeInteger, kmip.UsageEncryptDecrypt)))
}

// parameters name the mode of a cipher.
func parameters(mode uint32) item {
	random := item{tag: kmip.TagRandomIV, kind: kmip.TypeBoolean, value: []byte{7: 1}}
	return structure(kmip.TagCryptographicParameters,
		enumeration(kmip.TagBlockCipherMode, mode),
		enumeration(kmip.TagPaddingMethod, kmip.PaddingPKCS5),
		enumeration(kmip.TagCryptographicAlgorithm, kmip.AlgorithmAES), random)
}

// checkRefused checks that an operation failed for a reason.
func checkRefused(t *testing.T, otherwise string, reason uint32, answer item) {
	t.Helper()
	if answer.find(kmip.TagResultStatus).number() != kmip.StatusOperationFailed || answer.find(kmip.TagResultReason).number() != reason {
		t.Errorf("%s: %s", otherwise, answer.find(kmip.TagResultMessage).value)
	}
}

func TestKMIP(t *testing.T) {
	s := Start(t, Published())
	material := structure(kmip.TagSecretData, structure(kmip.TagKeyBlock,
		structure(kmip.TagKeyValue, octets(kmip.TagKeyMaterial, []byte("secret")))))
	made := ask(t, s, kmip.OperationRegister, enumeration(kmip.TagObjectType, kmip.ObjectSecretData), material)
	id := made.find(kmip.TagResponsePayload, kmip.TagUniqueIdentifier)
	if a := ask(t, s, kmip.OperationActivate, id); a.find(kmip.TagResultStatus).number() != 0 {
		t.Errorf("Activate: %s", a.find(kmip.TagResultMessage).value)
	}
	checkRefused(t, "a secret is activated twice", reasonPermission, ask(t, s, kmip.OperationActivate, id))
	got := ask(t, s, kmip.OperationGet, id).find(kmip.TagResponsePayload, kmip.TagSecretData, kmip.TagKeyBlock,
		kmip.TagKeyValue, kmip.TagKeyMaterial)
	if string(got.value) != "secret" {
		t.Errorf("Get: %q", got.value)
	}
	shown := ask(t, s, kmip.OperationGet, id).find(kmip.TagResponsePayload, kmip.TagSecretData)
	if shown.find(kmip.TagSecretDataType).number() != kmip.SecretDataSeed ||
		shown.find(kmip.TagKeyBlock, kmip.TagKeyFormatType).number() != kmip.KeyFormatOpaque {
		t.Error("Get shows the secret as something else")
	}
	checkRefused(t, "Get shows a key that may not leave the server", reasonPermission, ask(t, s, kmip.OperationGet, text(kmip.TagUniqueIdentifier, "11")))
	checkRefused(t, "there is a secret called none", kmip.ReasonItemNotFound, ask(t, s, kmip.OperationGet, text(kmip.TagUniqueIdentifier, "none")))
	symmetric := enumeration(kmip.TagObjectType, kmip.ObjectSymmetricKey)
	checkRefused(t, "a key of 128 bits is made", reasonInvalidField, ask(t, s, kmip.OperationCreate, symmetric, template(128)))
	key := ask(t, s, kmip.OperationCreate, symmetric, template(kmip.AESBits)).find(kmip.TagResponsePayload, kmip.TagUniqueIdentifier)
	cbc := parameters(kmip.ModeCBC)
	checkRefused(t, "a key encrypts before it is active", reasonPermission,
		ask(t, s, kmip.OperationEncrypt, key, cbc, octets(kmip.TagData, []byte("x"))))
	ask(t, s, kmip.OperationActivate, key)
	sealed := ask(t, s, kmip.OperationEncrypt, key, cbc, octets(kmip.TagData, []byte("a data key"))).find(kmip.TagResponsePayload)
	answer := ask(t, s, kmip.OperationDecrypt, key, cbc, sealed.find(kmip.TagData), sealed.find(kmip.TagIVCounterNonce))
	opened := answer.find(kmip.TagResponsePayload, kmip.TagData)
	if string(opened.value) != "a data key" {
		t.Errorf("Decrypt: %q", opened.value)
	}
	checkRefused(t, "Decrypt takes what is no block", reasonInvalidField, ask(t, s, kmip.OperationDecrypt, key, cbc, octets(kmip.TagData, []byte("short"))))
	checkRefused(t, "an unknown mode is used", reasonInvalidField,
		ask(t, s, kmip.OperationEncrypt, key, parameters(9), octets(kmip.TagData, []byte("x"))))
	checkRefused(t, "an unknown operation is run", reasonNotSupported, ask(t, s, 0x99, key))
}

func TestFaultsAndRequests(t *testing.T) {
	s := Start(t)
	s.Fail(1, http.StatusTooManyRequests)
	s.Break(1)
	body := `{"plaintext": "YWJj"}`
	const key = "https://" + kmstable.GCPHost + "/v1/projects/p/locations/l/keyRings/r/cryptoKeys/k:encrypt"
	for _, want := range []int{http.StatusTooManyRequests, 0, http.StatusOK} {
		if status, _ := post(t, s, key, body, "Authorization", "Bearer "+AccessToken); status != want {
			t.Errorf("the answer is %d, want %d", status, want)
		}
	}
	requests := s.Requests()
	if len(requests) != 3 || requests[2] != (Request{Host: "cloudkms.googleapis.com", Operation: "encrypt"}) {
		t.Errorf("the requests are %v", requests)
	}
}

// TestBubble checks that no goroutine of a server outlives the bubble, and that the server uses only the bubble's
// clock.
func TestBubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		s := New()
		post(t, s, "https://example.com/nothing", "{}")
		idle := dial(t, s, "localhost")
		if err := idle.Handshake(); err != nil {
			t.Fatal(err)
		}
		s.Close()
		s.Close()
		if _, err := idle.Read(make([]byte, 1)); err == nil {
			t.Error("a connection outlives the server")
		}
		_ = idle.Close()
		if d := time.Since(began); d != 0 {
			t.Errorf("that took %v", d)
		}
	})
}

func TestProviders(t *testing.T) {
	s := Start(t, Published())
	p := s.Providers("aws", "aws:name2", "aws:temporary", "azure", "gcp", "kmip:other")
	if p["aws:temporary"]["sessionToken"] == nil || p["azure"]["tenantId"] == nil || p["azure"]["clientSecret"] == nil {
		t.Errorf("the providers are %v", p)
	}
	if p["aws"]["accessKeyId"] == p["aws:name2"]["accessKeyId"] || p["kmip:other"]["endpoint"] != KMIPEndpoint {
		t.Errorf("the providers are %v", p)
	}
	if _, err := base64.StdEncoding.DecodeString(p["gcp"]["privateKey"].(string)); err != nil {
		t.Error(err)
	}
}

func FuzzTTLV(f *testing.F) {
	f.Add(structure(kmip.TagRequestMessage, text(kmip.TagUniqueIdentifier, "1")).bytes())
	f.Add(must(hex.DecodeString("42007801ffffffff")))
	f.Fuzz(func(t *testing.T, data []byte) {
		i, _, err := parse(data)
		if err == nil && i.kind != kmip.TypeStructure && !bytes.Equal(i.bytes()[:8], data[:8]) {
			t.Errorf("%x becomes %x", data, i.bytes())
		}
	})
}
