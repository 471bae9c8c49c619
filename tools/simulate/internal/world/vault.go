package world

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/simulate/internal/scenario"
)

// vault is a collection that clients encrypt on their own. What was stored is read back as it was, by its id and by a query for
// an encrypted value, and no plain text gets to a server.
type vault struct {
	*world
	schema bson.D
	mu     sync.Mutex
	notes  map[string][]string // what each document may hold
	stored map[string]certainty
}

// vaultKeys is where the key is, encrypted with the secret that every client has.
const vaultKeys = "keys.keys"

func vaultProviders() map[string]map[string]any {
	secret := make([]byte, 96)
	copy(secret, masterKey)
	return map[string]map[string]any{"local": {"key": secret}}
}

// prepare makes the key of all values.
func (v *vault) prepare(ctx context.Context, k *cleanClient) error {
	o := &options.ClientEncryption{KeyVaultNamespace: vaultKeys, KMSProviders: vaultProviders()}
	made, err := mongo.NewClientEncryption(k.Client, o)
	if err != nil {
		return err
	}
	id, err := made.CreateDataKey(ctx, "local")
	if err != nil {
		return err
	}
	field := func(algorithm string) bson.D {
		return bson.Doc("encrypt", bson.Doc("keyId", bson.A{id}, "bsonType", "string", "algorithm", algorithm))
	}
	v.schema = bson.Doc("bsonType", "object", "properties",
		bson.Doc("name", field(options.AlgorithmDeterministic), "note", field(options.AlgorithmRandom)))
	return nil
}

// encryption returns what a client needs to work with the vault.
func (v *vault) encryption() *mongo.AutoEncryption {
	return &mongo.AutoEncryption{
		KeyVaultNamespace: vaultKeys, KMSProviders: vaultProviders(), SchemaMap: map[string]any{"world.vault": v.schema},
	}
}

func (v *vault) start(k *worker) actor { return &keeper{vault: v, k: k} }

type keeper struct {
	*vault
	k    *worker
	next int
	own  []string // stored by the actor and acknowledged
}

type deposit struct {
	ID         string `bson:"_id"`
	Name, Note string
}

func (a *keeper) close(context.Context) {}

func (a *keeper) do(ctx context.Context, op scenario.Op) (string, error) {
	c := a.k.db().Collection("vault")
	a.next++
	note := fmt.Sprintf("%s%d-%d", plainText, a.k.plan.Number, a.next)
	if op.Kind == "store" {
		id := fmt.Sprintf("%d-%d", a.k.plan.Number, a.next)
		a.allow(id, note)
		_, err := c.InsertOne(ctx, deposit{ID: id, Name: plainText + id, Note: note})
		a.vault.mu.Lock()
		defer a.vault.mu.Unlock()
		if a.stored[id] = certaintyOf(err); err == nil {
			a.own = append(a.own, id)
		}
		return id, err
	}
	if len(a.own) == 0 {
		return "", ErrNothing
	}
	id := a.own[op.Key%len(a.own)]
	switch op.Kind {
	case "change":
		a.allow(id, note)
		r, err := c.UpdateOne(ctx, bson.Doc("name", plainText+id), bson.Doc("$set", bson.Doc("note", note)))
		if err == nil && r.MatchedCount != 1 {
			a.violate(scenario.Vault, "a query for the encrypted name of %s matched %d documents", id, r.MatchedCount)
		}
		return id, err
	case "look":
		return id, a.checkFound(ctx, c, bson.Doc("name", plainText+id), id)
	}
	return id, a.checkFound(ctx, c, byID(id), id)
}

func (a *keeper) checkFound(ctx context.Context, c *mongo.Collection, filter any, id string) error {
	var got deposit
	err := c.FindOne(ctx, filter).Decode(&got)
	if errors.Is(err, mongo.ErrNoDocuments) {
		a.violate(scenario.Vault, "%s was stored, and %v does not find it", id, filter)
		return nil
	}
	if err == nil {
		a.judge(got)
	}
	return err
}

// allow notes what a document may hold from now on.
func (v *vault) allow(id, note string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.notes[id] = append(v.notes[id], note)
}

func (v *vault) judge(got deposit) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, note := range v.notes[got.ID] {
		if got.Note == note && got.Name == plainText+got.ID {
			return
		}
	}
	v.violate(scenario.Vault, "%s holds %q and %q, which nobody stored", got.ID, got.Name, got.Note)
}

// check reads everything as it is, and decrypted.
func (v *vault) check(ctx context.Context, k *cleanClient) error {
	raw, err := decodeAll[bson.Raw](ctx, k.db.Collection("vault"), bson.D{})
	if err != nil {
		return err
	}
	for _, doc := range raw {
		for _, field := range []string{"name", "note"} {
			if subtype, _, ok := doc.Lookup(field).BinaryOK(); !ok || subtype != bsontype.BinaryEncrypted {
				v.violate(scenario.Vault, "a server got %s as it is: %s", field, doc)
			}
		}
	}
	c, err := mongo.Connect(ctx, v.d.URI(), &options.Client{Dialer: v.d.Dialer(), AutoEncryption: v.encryption()})
	if err != nil {
		return err
	}
	defer c.Close(ctx)
	all, err := decodeAll[deposit](ctx, database(c).Collection("vault"), bson.D{})
	there := map[string]bool{}
	for _, got := range all {
		there[got.ID] = true
		v.judge(got)
	}
	for id, stored := range v.stored {
		if stored == done && !there[id] && err == nil {
			v.violate(scenario.Vault, "%s was stored and is lost", id)
		}
	}
	return err
}
