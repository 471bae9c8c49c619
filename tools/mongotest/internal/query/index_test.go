package query_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/tools/mongotest/internal/engine"
	"github.com/specdrivers/onion/tools/mongotest/internal/store"
)

// collections is a server with two collections of the same documents: plain has no index but that of _id, indexed has one
// of every kind.
type collections struct {
	engine   *engine.Engine
	commands map[string]engine.Handler
}

func newCollections(t *testing.T) *collections {
	t.Helper()
	now := func() time.Time { return time.Unix(1_700_000_000, 0) }
	c := &collections{engine.New(engine.Config{Store: store.New(store.Config{Now: now}), Now: now}), engine.Commands()}
	c.run(t, `{createIndexes:'indexed',indexes:[{name:'a',key:{a:1}},{name:'ab',key:{a:-1,b:1}},{name:'b',key:{b:1},sparse:true},`+
		`{name:'ac',key:{'a.c':1}},{name:'c',key:{c:1},partialFilterExpression:{c:{$gt:1}}},{name:'a0',key:{'a.0':1}},{name:'a0b',key:{'a.0.b':-1}}]}`)
	return c
}

func (c *collections) run(t *testing.T, command string) bson.Raw {
	t.Helper()
	body := doc(t, command)
	first, _ := body.Index(0)
	dst, start := bson.AppendDocumentStart(nil)
	command = strings.Clone(first.Key)
	dst, err := c.commands[command](c.engine, context.Background(), &engine.Request{Name: command, DB: "db", Body: body, WireVersion: 25}, dst)
	if err != nil {
		t.Fatalf("%s: %v", body, err)
	}
	return bson.AppendDocumentEnd(dst, start)
}

// ids are the _id of what a find answers, sorted unless the find has an order of its own.
func (c *collections) ids(t *testing.T, collection, rest string, ordered bool) []int32 {
	t.Helper()
	reply := c.run(t, `{find:'`+collection+`',projection:{_id:1},batchSize:10000,`+rest+`}`)
	list, _ := reply.Lookup("cursor", "firstBatch").ArrayOK()
	var out []int32
	for _, v := range list.All() {
		d, _ := v.DocumentOK()
		id, _ := d.Lookup("_id").Int32OK()
		out = append(out, id)
	}
	if !ordered {
		slices.Sort(out)
	}
	return out
}

// author writes random documents and queries out of few names and values, so that they meet.
type author struct{ *rand.Rand }

func (w author) pick(list ...string) string { return list[w.IntN(len(list))] }

func (w author) scalar() string {
	return w.pick(`0`, `1`, `2`, `1.5`, `{$numberLong:'2'}`, `{$numberDecimal:'1.5'}`, `'x'`, `'y'`, `null`, `true`,
		`{$minKey:1}`, `{$maxKey:1}`, `{$numberDouble:'NaN'}`, `{$date:{$numberLong:'5'}}`)
}

func (w author) value(depth int) string {
	switch n := w.IntN(10); {
	case n < 6 || depth > 2:
		return w.scalar()
	case n < 8:
		var parts []string
		for range w.IntN(4) {
			parts = append(parts, w.value(depth+1))
		}
		return `[` + strings.Join(parts, ",") + `]`
	}
	return w.document(depth+1, "b", "c", w.pick(`d`, `'0'`, `'1'`))
}

func (w author) document(depth int, names ...string) string {
	var parts []string
	for _, name := range names {
		if w.IntN(4) > 0 {
			parts = append(parts, name+`:`+w.value(depth))
		}
	}
	return `{` + strings.Join(parts, ",") + `}`
}

func (w author) path() string {
	return w.pick(`a`, `b`, `c`, `'a.c'`, `'a.b'`, `'a.0'`, `'b.c'`, `'a.0.b'`)
}

func (w author) condition() string {
	switch w.IntN(9) {
	case 0, 1:
		return w.value(1)
	case 2:
		return `{$in:[` + w.value(1) + `,` + w.scalar() + `]}`
	case 3:
		return `{` + w.pick(`$gt`, `$gte`) + `:` + w.value(1) + `,` + w.pick(`$lt`, `$lte`) + `:` + w.value(1) + `}`
	case 4:
		return `{` + w.pick(`$ne`, `$eq`) + `:` + w.value(1) + `}`
	case 5:
		return `{$not:{` + w.pick(`$gt`, `$lte`) + `:` + w.scalar() + `}}`
	case 6:
		return `{$elemMatch:{` + w.pick(`$gt`, `$lte`, `$eq`) + `:` + w.scalar() + `}}`
	case 7:
		return `{$exists:` + w.pick(`true`, `false`) + `}`
	}
	return `{` + w.pick(`$gt`, `$gte`, `$lt`, `$lte`) + `:` + w.value(1) + `}`
}

func (w author) filter(depth int) string {
	if depth < 2 && w.IntN(4) == 0 {
		return `{` + w.pick(`$and`, `$or`, `$nor`) + `:[` + w.filter(depth+1) + `,` + w.filter(depth+1) + `]}`
	}
	first, second := w.path(), w.path()
	if first == second || w.IntN(2) == 0 {
		return `{` + first + `:` + w.condition() + `}`
	}
	return `{` + first + `:` + w.condition() + `,` + second + `:` + w.condition() + `}`
}

// TestIndexesAndScansAgree asks both collections the same questions. What an index answers must be what a scan answers,
// with any hint and in any order.
func TestIndexesAndScansAgree(t *testing.T) {
	for seed := range uint64(4) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			w := author{rand.New(rand.NewPCG(seed, 7))}
			c := newCollections(t)
			fill(t, c, w)
			for range 400 {
				filter := `filter:` + w.filter(0)
				plain := c.ids(t, "plain", filter, false)
				if indexed := c.ids(t, "indexed", filter, false); !slices.Equal(plain, indexed) {
					t.Fatalf("%s\n scan found %v\nindex found %v", filter, plain, indexed)
				}
				hint := filter + `,hint:` + w.pick(`'a'`, `'ab'`, `'ac'`, `'a0'`, `'a0b'`, `{$natural:-1}`)
				if indexed := c.ids(t, "indexed", hint, false); !slices.Equal(plain, indexed) {
					t.Fatalf("%s\n scan found %v\nindex found %v", hint, plain, indexed)
				}
				sort := filter + `,sort:{` + w.pick(`a`, `b`, `'a.c'`, `c`, `'a.0'`, `'a.0.b'`) + `:` + w.pick(`1`, `-1`) + `,_id:` + w.pick(`1`, `-1`) + `}`
				plain, indexed := c.ids(t, "plain", sort, true), c.ids(t, "indexed", sort, true)
				if !slices.Equal(plain, indexed) {
					t.Fatalf("%s\n scan gives %v\nindex gives %v", sort, plain, indexed)
				}
			}
		})
	}
}

// fill gives both collections the same documents; those that no index takes are left out.
func fill(t *testing.T, c *collections, w author) {
	for id := range 120 {
		d := strings.Replace(w.document(0, "a", "b", "c"), `{`, fmt.Sprintf(`{_id:%d,`, id), 1)
		d = strings.Replace(d, ",}", "}", 1)
		reply := c.run(t, `{insert:'indexed',documents:[`+d+`]}`)
		if reply.Lookup("writeErrors").IsZero() {
			c.run(t, `{insert:'plain',documents:[`+d+`]}`)
		}
	}
}
