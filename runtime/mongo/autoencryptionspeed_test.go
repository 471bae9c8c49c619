package mongo_test

import (
	"bytes"
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha512"
	"encoding/binary"
	"fmt"
	mathrand "math/rand/v2"
	"net"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// scriptedDialer is a cannedDialer that answers find with its own reply.
type scriptedDialer struct{ find []byte }

func (d scriptedDialer) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	nc, err := cannedDialer{}.DialContext(ctx, network, address)
	return &scriptedConn{cannedConn: nc.(*cannedConn), find: d.find}, err
}

type scriptedConn struct {
	*cannedConn
	find []byte
}

func (c *scriptedConn) Write(msg []byte) (int, error) {
	if !bytes.HasPrefix(msg[min(26, len(msg)):], []byte("find\x00")) || binary.LittleEndian.Uint32(msg[12:]) != 2013 {
		return c.cannedConn.Write(msg)
	}
	c.buffer = append(c.buffer[:0], c.find...)
	c.reply = c.buffer
	copy(c.reply[8:12], msg[4:8])
	c.arrived <- struct{}{}
	return len(msg), nil
}

// encryptionSpeed has a client that encrypts 4 fields of 20 and one that encrypts none. Their servers cost no time.
type encryptionSpeed struct {
	plain, encrypts, reads *mongo.Collection // reads finds the document in plain text
	doc                    bson.D
}

func newEncryptionSpeed(tb testing.TB) *encryptionSpeed {
	tb.Helper()
	ctx := context.Background()
	server, err := mongotest.New(mongotest.ReplicaSet(1), mongotest.Version("8.0"))
	if err != nil {
		tb.Fatal(err)
	}
	defer server.Close()
	made, err := mongo.Connect(ctx, server.URI())
	if err != nil {
		tb.Fatal(err)
	}
	defer made.Close(ctx)
	vault, err := mongo.NewClientEncryption(made, &options.ClientEncryption{KeyVaultNamespace: "keyvault.datakeys", KMSProviders: localKMS()})
	if err != nil {
		tb.Fatal(err)
	}
	defer vault.Close(ctx)
	id, err := vault.CreateDataKey(ctx, "local")
	if err != nil {
		tb.Fatal(err)
	}
	key, err := vault.GetKey(ctx, id).Raw()
	if err != nil {
		tb.Fatal(err)
	}
	s := &encryptionSpeed{doc: bson.Doc("_id", 1)}
	properties, sealed := bson.D{}, bson.Doc("_id", 1)
	for i := range 19 {
		name, value := fmt.Sprint("field", i), fmt.Sprint("a value of usual length ", i)
		s.doc = append(s.doc, bson.E{Key: name, Value: value})
		if i >= 4 {
			sealed = append(sealed, bson.E{Key: name, Value: value})
			continue
		}
		algorithm := []string{options.AlgorithmDeterministic, options.AlgorithmRandom}[i%2]
		properties = append(properties, bson.E{Key: name, Value: bson.Doc("encrypt", bson.Doc(
			"keyId", bson.A{id}, "bsonType", "string", "algorithm", algorithm))})
		secret, err := vault.Encrypt(ctx, value, &options.Encrypt{KeyID: &id, Algorithm: algorithm})
		if err != nil {
			tb.Fatal(err)
		}
		sealed = append(sealed, bson.E{Key: name, Value: secret})
	}
	found := func(doc any) []byte {
		return cannedReply("cursor", bson.Doc("firstBatch", bson.A{doc}, "id", int64(0), "ns", "shop.users"), "ok", 1.0)
	}
	collection := func(o *options.Client, find any) *mongo.Collection {
		return cannedClient(tb, &options.Client{Dialer: scriptedDialer{found(find)}, AutoEncryption: o.AutoEncryption}).Database("shop").Collection("users")
	}
	s.plain = collection(&options.Client{}, s.doc)
	s.reads = collection(&options.Client{}, sealed)
	s.encrypts = collection(&options.Client{AutoEncryption: &mongo.AutoEncryption{
		KeyVaultNamespace: "keyvault.datakeys", KMSProviders: localKMS(), KeyExpiration: new(time.Duration(0)),
		KeyVaultClient: collection(&options.Client{}, key).Database().Client(),
		SchemaMap:      map[string]any{"shop.users": bson.Doc("bsonType", "object", "properties", properties)},
	}}, sealed)
	return s
}

func (s *encryptionSpeed) insert(tb testing.TB, c *mongo.Collection) {
	if _, err := c.InsertOne(context.Background(), s.doc); err != nil {
		tb.Fatal(err)
	}
}

func (s *encryptionSpeed) find(tb testing.TB, c *mongo.Collection) {
	if raw, err := c.FindOne(context.Background(), bson.D{}).Raw(); err != nil || raw.Lookup("field0").String() != `"a value of usual length 0"` {
		tb.Fatal(raw, err)
	}
}

// runCryptography runs only the cryptography of four fields. It computes the initialization vectors of two of them and
// draws the other two.
func runCryptography(seal bool) {
	key, text, out := make([]byte, 32), make([]byte, 112), make([]byte, 48)
	mac := func() {
		m := hmac.New(sha512.New, key)
		m.Write(text)
		m.Sum(nil)
	}
	for i := range 4 {
		block, err := aes.NewCipher(key)
		if err != nil {
			panic(err)
		}
		if !seal {
			mac()
			cipher.NewCBCDecrypter(block, text[:aes.BlockSize]).CryptBlocks(out, text[:48])
			continue
		}
		if i%2 == 0 {
			mac()
		} else if _, err := rand.Read(text[:aes.BlockSize]); err != nil {
			panic(err)
		}
		cipher.NewCBCEncrypter(block, text[:aes.BlockSize]).CryptBlocks(out, text[:48])
		mac()
	}
}

// How many more allocations a document of 20 fields, 4 of them encrypted, may take than a plain one. Allocations do not
// depend on how busy the machine is; BenchmarkEncryption measures time.
const (
	budgetEncryptedInsert = 22
	budgetEncryptedFind   = 18
)

func TestEncryptionBudgets(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	s := newEncryptionSpeed(t)
	for _, tt := range []struct {
		name         string
		plain, coded func()
		budget       float64
	}{
		{"insert", func() { s.insert(t, s.plain) }, func() { s.insert(t, s.encrypts) }, budgetEncryptedInsert},
		{"find", func() { s.find(t, s.plain) }, func() { s.find(t, s.encrypts) }, budgetEncryptedFind},
	} {
		tt.coded() // reads the key
		plain, coded := testing.AllocsPerRun(200, tt.plain), testing.AllocsPerRun(200, tt.coded)
		if coded-plain > tt.budget {
			t.Errorf("%s: %.0f allocations more than the %.0f of a plain one, the budget is %.0f", tt.name, coded-plain, plain, tt.budget)
		}
		t.Logf("%s: %.0f allocations, plain %.0f", tt.name, coded, plain)
	}
}

// BenchmarkEncryption measures the two clients in turns, in one process. The null test compares a plain client with
// itself and must read 1. An encrypted operation may cost twice a plain one or 1.3 times the bare cryptography,
// whichever is more; limit is its cost as a share of that.
func BenchmarkEncryption(b *testing.B) {
	s := newEncryptionSpeed(b)
	for _, tt := range []struct {
		name string
		run  func(tb testing.TB, c *mongo.Collection)
		seal bool
	}{{"insert", s.insert, true}, {"find", s.find, false}} {
		b.Run(tt.name, func(b *testing.B) {
			var plain, again, coded, crypto time.Duration
			timed := func(total *time.Duration, f func()) {
				start := time.Now()
				for range 100 {
					f()
				}
				*total += time.Since(start)
			}
			turns := []func(){
				func() { timed(&plain, func() { tt.run(b, s.plain) }) },
				func() { timed(&coded, func() { tt.run(b, s.encrypts) }) },
				func() { timed(&again, func() { tt.run(b, s.plain) }) },
				func() { timed(&crypto, func() { runCryptography(tt.seal) }) },
			}
			for b.Loop() { // each turn follows every other equally often, because a turn is slowed by the one before it
				for _, i := range mathrand.Perm(len(turns)) {
					turns[i]()
				}
			}
			n := float64(b.N) * 100
			b.ReportMetric(float64(plain.Nanoseconds())/n, "plain-ns")
			b.ReportMetric(float64(coded.Nanoseconds())/n, "encrypted-ns")
			b.ReportMetric(float64(crypto.Nanoseconds())/n, "bare-ns")
			b.ReportMetric(float64(again)/float64(plain), "null")
			b.ReportMetric(float64(coded)/max(2*float64(plain), 1.3*float64(crypto)), "limit")
		})
	}
}
