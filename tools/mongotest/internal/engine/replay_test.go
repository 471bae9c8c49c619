package engine_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/tools/mongotest/internal/engine"
	"github.com/specdrivers/onion/tools/mongotest/internal/oplog"
	"github.com/specdrivers/onion/tools/mongotest/internal/path"
	"github.com/specdrivers/onion/tools/mongotest/internal/store"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

// TestOplogReplaysToTheSameState runs random commands on one server and replays its oplog on another one, and by
// applyOps on a third. In the end all have the same collections, options, indexes and documents.
func TestOplogReplaysToTheSameState(t *testing.T) {
	kinds := map[string]int{}
	for seed := range uint64(60) {
		source, copied, applied := newServer(t), newServer(t), newServer(t)
		start := source.Store().Latest().Time()
		g := &commandMaker{Rand: rand.New(rand.NewPCG(seed, 7))}
		for range 120 {
			if g.IntN(20) == 0 {
				source.now = source.now.Add(time.Minute)
				source.Expire()
				continue
			}
			command := g.command()
			if _, err := source.try(t, command); err == nil {
				kinds[strings.FieldsFunc(command, func(r rune) bool { return r == '{' || r == ':' })[0]]++
			}
		}
		var last store.Timestamp
		for e := range source.Store().Oplog().After(start) {
			if e.Time < last || e.Time == last && e.Index == 0 {
				t.Fatalf("seed %d: an entry at %d after %d", seed, e.Time, last)
			}
			last = e.Time
			copied.apply(t, e)
			op := value.Document(oplog.Document([]*store.Entry{e}, source.wire))
			if _, err := applied.request(t, &engine.Request{DB: "admin", Body: marshal(t, bson.Doc("applyOps", bson.A{op}))}); err != nil {
				t.Fatalf("seed %d: applyOps of %s: %v", seed, op, err)
			}
		}
		compareLines(t, seed, dump(copied.Store().Latest()), dump(source.Store().Latest()))
		compareLines(t, seed, dump(applied.Store().Latest()), dump(source.Store().Latest()))
		if last != source.Store().Latest().Time() {
			t.Errorf("seed %d: the last entry is at %d, the state at %d", seed, last, source.Store().Latest().Time())
		}
	}
	for _, name := range commandKinds {
		if kinds[name] == 0 {
			t.Errorf("no %s succeeded", name)
		}
	}
}

// compareLines fails at the first line that differs.
func compareLines(t *testing.T, seed uint64, got, want string) {
	t.Helper()
	copied, source := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(copied), len(source)) {
		if copied[i] != source[i] {
			t.Fatalf("seed %d: the copy has\n%s\nthe source has\n%s", seed, copied[i], source[i])
		}
	}
	if len(copied) != len(source) {
		t.Fatalf("seed %d: the copy is\n%s\nthe source is\n%s", seed, got, want)
	}
}

// apply applies an oplog entry.
func (s *server) apply(t *testing.T, e *store.Entry) {
	t.Helper()
	if e.Op == store.DDL {
		s.applyCommand(t, e)
		return
	}
	_, err := s.Store().Update(func(tx *store.Txn) error {
		c := tx.Collection(e.DB, e.Name)
		if c == nil {
			return fmt.Errorf("no collection %s.%s", e.DB, e.Name)
		}
		if e.Op == store.Insert {
			return tx.Insert(e.DB, e.Name, e.After)
		}
		old := c.FindID(path.Field(e.Key, "_id"))
		switch {
		case old == nil && e.Op == store.Delete && c.Options.Capped:
			return nil // the insert has already trimmed the collection
		case old == nil:
			return fmt.Errorf("no document %s in %s.%s", e.Key, e.DB, e.Name)
		case string(old.Doc) != string(e.Before):
			return fmt.Errorf("%s.%s has %s, the entry had %s", e.DB, e.Name, old.Doc, e.Before)
		case e.Op == store.Delete:
			return tx.Delete(e.DB, e.Name, old)
		case e.Diff != nil && string(patch(e.Before, e.Diff)) != string(e.After):
			return fmt.Errorf("the difference %s does not turn %s into %s", e.Diff, e.Before, e.After)
		}
		return tx.Replace(e.DB, e.Name, old, e.After, e.Diff)
	})
	if err != nil {
		t.Fatalf("entry %c of %s: %v", e.Op, e.Key, err)
	}
}

func (s *server) applyCommand(t *testing.T, e *store.Entry) {
	t.Helper()
	first, _ := e.Command.Index(0)
	body, db := e.Command, e.DB
	switch first.Key {
	case "dropDatabase":
		return // the oplog has an earlier entry for each collection
	case "createIndexes":
		var spec bson.D
		for key, v := range e.Command.All() {
			if key != first.Key {
				spec = append(spec, bson.E{Key: key, Value: v})
			}
		}
		body = marshal(t, bson.Doc("createIndexes", e.Name, "indexes", bson.A{spec}))
	case "renameCollection":
		db = "admin"
		body = marshal(t, bson.Doc("renameCollection", first.Value, "to", e.Command.Lookup("to"), "dropTarget", !e.Command.Lookup("dropTarget").IsZero()))
	}
	if _, err := s.request(t, &engine.Request{DB: db, Body: body}); err != nil {
		t.Fatalf("entry %s: %v", e.Command, err)
	}
}

func marshal(t *testing.T, doc any) bson.Raw {
	t.Helper()
	out, err := bson.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// dump writes everything that a state holds, in the order of its structures.
func dump(snap *store.Snapshot) string {
	var b strings.Builder
	for _, db := range snap.Databases() {
		for _, c := range snap.Collections(db) {
			fmt.Fprintf(&b, "%s {%s} view=%v size=%d\n", c.Namespace(), strings.Trim(c.Options.Document.String(), "{}"), c.IsView(), c.Size())
			write := func(what string, scan *store.Scan) {
				b.WriteString(what)
				for r := scan.Next(); r != nil; r = scan.Next() {
					fmt.Fprintf(&b, " %s", r.Doc)
				}
				b.WriteByte('\n')
			}
			write("documents", c.Scan(0))
			for _, x := range c.Indexes() {
				fmt.Fprintf(&b, "index %s unique=%v hidden=%v %d keys", x.Spec, x.Unique, x.Hidden, x.Len())
				write("", c.Walk(x, false, x.Range(nil, nil)))
			}
		}
	}
	return b.String()
}

// commandKinds are the commands that commandMaker makes.
var commandKinds = []string{
	"insert", "update", "delete", "findAndModify", "bulkWrite", "create", "createIndexes", "dropIndexes", "collMod", "drop",
	"dropDatabase", "renameCollection", "aggregate",
}

// commandMaker makes commands that change something, many of which fail.
type commandMaker struct{ *rand.Rand }

func (g *commandMaker) pick(list ...string) string { return list[g.IntN(len(list))] }

func (g *commandMaker) name() string { return g.pick("a", "b", "c", "d") }

func (g *commandMaker) document() string {
	return fmt.Sprintf(`{_id:%d,n:%d,s:'%s',t:[%d,%d],at:{$date:{$numberLong:'%d'}}}`, g.IntN(40), g.IntN(10), g.pick("x", "Y", "z"),
		g.IntN(5), g.IntN(5), 1_700_000_000_000+g.Int64N(2000)*1000)
}

func (g *commandMaker) query() string {
	return g.pick(`{}`, fmt.Sprintf(`{_id:%d}`, g.IntN(40)), fmt.Sprintf(`{n:%d}`, g.IntN(10)), fmt.Sprintf(`{t:%d}`, g.IntN(5)), `{n:{$gt:5}}`)
}

func (g *commandMaker) change() string {
	return g.pick(`{$inc:{n:1}}`, fmt.Sprintf(`{$set:{n:%d,m:1}}`, g.IntN(10)), `{$push:{t:9}}`, `{$unset:{s:''}}`, `{$currentDate:{at:true}}`,
		fmt.Sprintf(`{n:%d,s:'new'}`, g.IntN(10)), `[{$set:{n:{$add:['$n',1]}}}]`, `{$rename:{s:'u'}}`)
}

func (g *commandMaker) flag() string { return g.pick("true", "false") }

func (g *commandMaker) command() string {
	name := g.name()
	if g.IntN(3) == 0 {
		return g.definition(name)
	}
	switch g.IntN(7) {
	case 0, 1:
		return fmt.Sprintf(`{insert:'%s',documents:[%s,%s,%s],ordered:%s}`, name, g.document(), g.document(), g.document(), g.flag())
	case 2:
		return fmt.Sprintf(`{update:'%s',updates:[{q:%s,u:%s,multi:%s},{q:%s,u:%s,upsert:%s}],ordered:%s}`, name, g.query(), g.change(), g.flag(),
			g.query(), g.change(), g.flag(), g.flag())
	case 3:
		return fmt.Sprintf(`{delete:'%s',deletes:[{q:%s,limit:%d}]}`, name, g.query(), g.IntN(2))
	case 4:
		return fmt.Sprintf(`{findAndModify:'%s',query:%s,%s}`, name, g.query(), g.pick(`remove:true`, fmt.Sprintf(`update:%s,upsert:%s`, g.change(), g.flag())))
	case 5:
		return fmt.Sprintf(`{bulkWrite:1,ops:[{insert:0,document:%s},{update:1,filter:%s,updateMods:%s,multi:%s},{delete:0,filter:%s,multi:%s}],nsInfo:[{ns:'db.%s'},{ns:'db.%s'}],ordered:%s}`,
			g.document(), g.query(), g.change(), g.flag(), g.query(), g.flag(), name, g.name(), g.flag())
	}
	return fmt.Sprintf(`{aggregate:'%s',pipeline:[{$match:%s},%s],cursor:{}}`, name, g.query(),
		g.pick(`{$out:'`+g.name()+`'}`, `{$merge:{into:'`+g.name()+`'}}`))
}

// definition makes a command that changes the catalog.
func (g *commandMaker) definition(name string) string {
	switch g.IntN(11) {
	case 0, 1:
		return fmt.Sprintf(`{create:'%s'%s}`, name, g.pick("", `,capped:true,size:4096,max:5`, `,validator:{n:{$lt:9}}`, `,collation:{locale:'en',strength:2}`,
			`,viewOn:'b',pipeline:[{$match:{n:1}}]`, `,changeStreamPreAndPostImages:{enabled:true}`))
	case 2, 3, 4:
		return fmt.Sprintf(`{createIndexes:'%s',indexes:[%s]}`, name, g.pick(`{key:{n:1},name:'n'}`, `{key:{s:1,n:-1},name:'s'}`, `{key:{t:1},name:'t'}`,
			`{key:{at:1},name:'at',expireAfterSeconds:600}`, `{key:{n:1},name:'u',unique:true,partialFilterExpression:{n:{$gt:7}}}`,
			`{key:{m:1},name:'m',sparse:true,collation:{locale:'en',strength:1}}`))
	case 5:
		return fmt.Sprintf(`{dropIndexes:'%s',index:'%s'}`, name, g.pick("n", "s", "t", "*"))
	case 6, 7:
		return fmt.Sprintf(`{collMod:'%s',%s}`, name, g.pick(`validator:{n:{$lt:8}},validationLevel:'moderate'`, `validator:{}`, `index:{name:'at',expireAfterSeconds:30}`,
			`index:{name:'n',hidden:true}`, `index:{name:'n',hidden:false}`, `viewOn:'c',pipeline:[]`, `changeStreamPreAndPostImages:{enabled:false}`))
	case 8:
		return fmt.Sprintf(`{drop:'%s'}`, name)
	case 9:
		return fmt.Sprintf(`{renameCollection:'db.%s',to:'db.%s',dropTarget:%s}`, name, g.name(), g.flag())
	}
	if g.IntN(5) > 0 {
		return fmt.Sprintf(`{drop:'%s'}`, name)
	}
	return `{dropDatabase:1}`
}
