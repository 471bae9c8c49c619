package mongo_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
	"github.com/specdrivers/onion/tools/mongotest/kmstest"
)

var (
	chaosSteps = flag.Int("chaos.steps", 10, "how often the encrypting clients are disturbed")
	chaosSeed  = flag.Uint64("chaos.seed", 1, "the seed of the disturbances")
)

// marker begins every value that must be encrypted.
var marker = []byte("Mark3r-of-a-s3cret")

// spy is a network that inspects every byte and counts the markers.
type spy struct {
	dialer *mongotest.Dialer
	seen   atomic.Int64
}

func (s *spy) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	nc, err := s.dialer.DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	return &spyConn{Conn: nc, spy: s}, nil
}

// spyConn is a connection that a spy inspects. A marker may arrive in two parts.
type spyConn struct {
	net.Conn
	spy      *spy
	mu       sync.Mutex
	out, in_ []byte // the last bytes seen in each direction
}

func (w *spyConn) look(tail *[]byte, p []byte) {
	w.mu.Lock()
	defer w.mu.Unlock()
	all := append(*tail, p...)
	w.spy.seen.Add(int64(bytes.Count(all, marker)))
	*tail = append([]byte(nil), all[max(0, len(all)-len(marker)+1):]...)
}

func (w *spyConn) Write(p []byte) (int, error) {
	w.look(&w.out, p)
	return w.Conn.Write(p)
}

func (w *spyConn) Read(p []byte) (int, error) {
	n, err := w.Conn.Read(p)
	w.look(&w.in_, p[:n])
	return n, err
}

// chaos is a deployment with clients that encrypt, one that does not, and services that guard the keys.
type chaos struct {
	t          *testing.T
	ctx        context.Context
	deployment *mongotest.Deployment
	kms        *kmstest.Server
	encrypted  *spy // the network of all clients that encrypt
	vault      *mongo.ClientEncryption
	stop       chan struct{}
	progress   []chan struct{} // one per writer that encrypts: signals an acknowledged write
}

// secretDocument has a deterministic, a random and an indexed value; one collection takes the first two, another the
// third.
func secretDocument(writer, i int) bson.D {
	value := fmt.Sprintf("%s-%d-%d", marker, writer, i)
	return bson.Doc("_id", fmt.Sprintf("%d-%d", writer, i), "ssn", value, "note", value)
}

// write inserts until it is stopped, and returns the ids that were acknowledged.
func (c *chaos) write(writer int, collections ...*mongo.Collection) (acknowledged []bson.D) {
	for i := 0; ; i++ {
		select {
		case <-c.stop:
			return acknowledged
		default:
		}
		doc := secretDocument(writer, i)
		failed := false
		for _, collection := range collections {
			if _, err := collection.InsertOne(c.ctx, doc); err != nil { // a service or a server has failed for good
				failed = true
			}
		}
		if failed {
			continue
		}
		acknowledged = append(acknowledged, doc)
		if writer < len(c.progress) {
			select {
			case c.progress[writer] <- struct{}{}:
			default:
			}
		}
		filter := bson.Doc("ssn", doc[1].Value)
		if n, err := collections[i%len(collections)].CountDocuments(c.ctx, filter); err == nil && n != 1 {
			c.t.Errorf("%d documents are found by %v", n, filter)
		}
	}
}

// rotate rewraps the data keys with another service, again and again.
func (c *chaos) rotate() {
	for i := 0; ; i++ {
		select {
		case <-c.stop:
			return
		default:
		}
		o := &options.RewrapManyDataKey{Provider: new("local")}
		if i%2 == 0 {
			o = &options.RewrapManyDataKey{Provider: new("aws"), MasterKey: masterKeys()["aws"]}
		}
		_, _ = c.vault.RewrapManyDataKey(c.ctx, bson.D{}, o) // a failure leaves some keys as they were
	}
}

// disturb causes faults, and lets every client that encrypts make progress between two of them.
func (c *chaos) disturb() {
	r := rand.New(rand.NewPCG(*chaosSeed, 0))
	for range *chaosSteps {
		for _, progress := range c.progress {
			select {
			case <-progress:
			case <-c.ctx.Done():
			}
		}
		switch r.IntN(4) {
		case 0:
			c.deployment.StepDown()
		case 1:
			c.kms.Fail(1+r.IntN(5), http.StatusServiceUnavailable)
		case 2:
			c.kms.Break(1 + r.IntN(5))
		case 3:
			c.deployment.CloseConnections(r.IntN(3))
		}
	}
	close(c.stop)
}

// Clients that encrypt and one that does not work side by side while keys rotate, services fail and primaries change.
// No acknowledged write is lost, no encrypted value crosses the network in plain text, and no operation waits for ever.
// A long form: go test -run EncryptionUnderChaos -chaos.steps 2000 -chaos.seed 7.
func TestEncryptionUnderChaos(t *testing.T) {
	t.Parallel()
	limit := 2*time.Minute + time.Duration(*chaosSteps)*time.Second
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	d := mongotest.Start(t, mongotest.ReplicaSet(3), mongotest.Version("8.0"), mongotest.ElectionDelay(2*time.Millisecond), mongotest.NoCommands())
	c := &chaos{t: t, ctx: ctx, deployment: d, kms: kmstest.Start(t), encrypted: &spy{dialer: d.Dialer()}, stop: make(chan struct{})}
	open := &spy{dialer: d.Dialer()}
	plain := connect(t, d, &options.Client{Dialer: open})
	o := withServices(c.kms)
	o.KeyExpiration = new(time.Millisecond)
	c.vault = newEncryption(t, connect(t, d, &options.Client{Dialer: c.encrypted}), o)
	var ids [2]bson.UUID
	for i := range ids {
		var err error
		if ids[i], err = c.vault.CreateDataKey(ctx, "local"); err != nil {
			t.Fatal(err)
		}
	}
	fields := bson.Doc("fields", bson.A{
		bson.Doc("path", "ssn", "bsonType", "string", "keyId", ids[0], "queries", bson.Doc("queryType", "equality", "contention", int64(2))),
		bson.Doc("path", "note", "bsonType", "string", "keyId", ids[1]),
	})
	if _, _, err := c.vault.CreateEncryptedCollection(ctx, plain.Database("db"), "visits", "local", nil,
		&options.CreateCollection{EncryptedFields: fields}); err != nil {
		t.Fatal(err)
	}
	auto := func(pool int) *mongo.Database {
		return connect(t, d, &options.Client{
			Dialer: c.encrypted, MaxPoolSize: new(pool), AutoEncryption: &mongo.AutoEncryption{
				KeyVaultNamespace: "keyvault.datakeys", KMSProviders: o.KMSProviders, TLSConfig: o.TLSConfig,
				KMSConnectCallback: o.KMSConnectCallback, KeyExpiration: new(time.Millisecond),
				SchemaMap: map[string]any{"db.people": peopleSchema(ids[0])}, EncryptedFieldsMap: map[string]any{"db.visits": fields},
			},
		}).Database("db")
	}
	writers := []*mongo.Database{auto(1), auto(10)}
	for range writers {
		c.progress = append(c.progress, make(chan struct{}, 1))
	}
	acknowledged := make([][]bson.D, len(writers)+1)
	var tasks sync.WaitGroup
	for i, db := range writers {
		tasks.Go(func() { acknowledged[i] = c.write(i, db.Collection("people"), db.Collection("visits")) })
	}
	tasks.Go(func() { acknowledged[len(writers)] = c.write(len(writers), plain.Database("db").Collection("plain")) })
	tasks.Go(c.rotate)
	c.disturb()
	tasks.Wait()
	if ctx.Err() != nil {
		t.Fatal("the clients were not done in time")
	}
	c.check(acknowledged, writers[0], plain.Database("db"))
	if n := c.encrypted.seen.Load(); n > 0 {
		t.Errorf("%d secrets went over the network in plain text", n)
	}
	if open.seen.Load() == 0 {
		t.Error("the spy is blind: it has not seen what the plain client sends")
	}
}

// check reads all acknowledged documents twice: decrypted, and as the server stores them.
func (c *chaos) check(acknowledged [][]bson.D, encrypts, plain *mongo.Database) {
	c.t.Helper()
	for deadline := 0; ; deadline++ { // use up the faults that no operation hit
		if err := encrypts.Collection("people").FindOne(c.ctx, bson.Doc("_id", "none")).Err(); err != nil && !mongo.IsTimeout(err) || deadline > 10 {
			break
		}
	}
	for writer, docs := range acknowledged {
		names, db := []string{"people", "visits"}, encrypts
		if writer == len(acknowledged)-1 {
			names, db = []string{"plain"}, plain
		}
		if len(docs) == 0 {
			c.t.Errorf("nothing of writer %d was acknowledged", writer)
		}
		for _, name := range names {
			for _, want := range docs {
				var got bson.D
				filter := bson.Doc("ssn", want[1].Value)
				one := options.FindOne{Projection: bson.Doc("__safeContent__", 0)}
				err := db.Collection(name).FindOne(c.ctx, filter, &one).Decode(&got)
				for range 10 { // retry: a service may fail once more
					if err == nil {
						break
					}
					err = db.Collection(name).FindOne(c.ctx, filter, &one).Decode(&got)
				}
				if err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
					c.t.Errorf("%s: got %v, %v; want %v", name, got, err, want)
				}
				if name == "plain" {
					continue
				}
				stored, err := plain.Collection(name).FindOne(c.ctx, bson.Doc("_id", want[0].Value)).Raw()
				if err != nil || !isCiphertext(stored.Lookup("ssn")) || !isCiphertext(stored.Lookup("note")) {
					c.t.Errorf("%s: stored as %s, %v", name, stored, err)
				}
			}
		}
	}
}
