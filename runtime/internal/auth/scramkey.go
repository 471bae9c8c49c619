package auth

import (
	"context"
	"crypto/hmac"
	"crypto/subtle"
	"hash"
	"sync"
)

// scramKeys keeps derived keys by salt and iteration count. A user has one salt in a deployment; a server that makes up
// a new one for each connection must not fill the memory.
type scramKeys struct {
	mu    sync.Mutex
	known map[scramFactors]scramKey
}

const maxScramKeys = 8

type scramFactors struct {
	salt       string
	iterations int
}

type scramKey struct{ client, stored, server []byte }

// scramInterval is how many iterations pass between two looks at the context: far less than a millisecond.
const scramInterval = 512

// key returns the keys for the factors of a server and derives them when it must. The context ends the derivation.
func (c *scramClient) key(ctx context.Context, f scramFactors) (scramKey, error) {
	if c.unusable != nil {
		return scramKey{}, c.unusable
	}
	c.keys.mu.Lock()
	key, ok := c.keys.known[f]
	c.keys.mu.Unlock()
	if ok {
		return key, nil
	}
	salted, err := saltedPassword(ctx, c.hash, c.password, f)
	if err != nil {
		return scramKey{}, err
	}
	key.client = sum(c.hash, salted, "Client Key")
	key.server = sum(c.hash, salted, "Server Key")
	h := c.hash()
	h.Write(key.client)
	key.stored = h.Sum(nil)

	c.keys.mu.Lock()
	defer c.keys.mu.Unlock()
	if c.keys.known == nil || len(c.keys.known) >= maxScramKeys {
		c.keys.known = map[scramFactors]scramKey{}
	}
	c.keys.known[f] = key
	return key, nil
}

// saltedPassword is Hi of RFC 5802, "Notation": PBKDF2 for a key as long as the hash. crypto/pbkdf2 cannot be
// interrupted.
func saltedPassword(ctx context.Context, h func() hash.Hash, password string, f scramFactors) ([]byte, error) {
	mac := hmac.New(h, []byte(password))
	mac.Write([]byte(f.salt))
	mac.Write([]byte{0, 0, 0, 1})
	u := mac.Sum(nil)
	out := append([]byte(nil), u...)
	for i := 1; i < f.iterations; i++ {
		if i%scramInterval == 0 && ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		mac.Reset()
		mac.Write(u)
		u = mac.Sum(u[:0])
		subtle.XORBytes(out, out, u)
	}
	return out, nil
}

func sum(h func() hash.Hash, key []byte, text string) []byte {
	mac := hmac.New(h, key)
	mac.Write([]byte(text))
	return mac.Sum(nil)
}
