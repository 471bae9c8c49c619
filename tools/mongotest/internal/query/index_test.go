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
	version  int32
}

func newCollections(t *testing.T, version int32, indexes string) *collections {
	t.Helper()
	now := func() time.Time { return time.Unix(1_700_000_000, 0) }
	c := &collections{engine.New(engine.Config{Store: store.New(store.Config{Now: now}), Now: now}), engine.Commands(), version}
	c.run(t, `{createIndexes:'indexed',indexes:[`+indexes+`]}`)
	return c
}

func (c *collections) run(t *testing.T, command string) bson.Raw {
	t.Helper()
	body := doc(t, command)
	first, _ := body.Index(0)
	dst, start := bson.AppendDocumentStart(nil)
	command = strings.Clone(first.Key)
	dst, err := c.commands[command](c.engine, context.Background(), &engine.Request{Name: command, DB: "db", Body: body, WireVersion: c.version}, dst)
	if err != nil {
		t.Fatalf("%s: %v", body, err)
	}
	return bson.AppendDocumentEnd(dst, start)
}

// ids returns the _id of what a find answers, sorted unless the find has an order of its own.
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

// author writes random documents and queries with few names and values, so that many queries match.
type author struct{ *rand.Rand }

func (w author) pick(list ...string) string { return list[w.IntN(len(list))] }

func (w author) scalar() string {
	return w.pick(`0`, `1`, `2`, `1.5`, `{$numberLong:'2'}`, `{$numberDecimal:'1.5'}`, `'x'`, `'y'`, `null`, `true`,
		`'xy'`, `'X'`, `{$minKey:1}`, `{$maxKey:1}`, `{$numberDouble:'NaN'}`, `{$date:{$numberLong:'5'}}`)
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
	return w.pick(`a`, `b`, `c`, `'a.c'`, `'a.b'`, `'a.0'`, `'b.c'`, `'a.0.b'`, `'a.b.c'`, `a`, `'a.b'`)
}

func (w author) condition() string {
	switch w.IntN(17) {
	case 16:
		return `{` + w.pick(``, `$ne:1,`, `$exists:true,`) + `$type:` + w.pick(`'number'`, `'int'`, `['int','string']`, `'object'`, `'null'`, `'undefined'`, `'minKey'`, `['date','maxKey']`, `'regex'`, `16`) + `}`
	case 15:
		return w.pick(`{$mod:[2,1]}`, `{$mod:[2,0]}`, `{$not:{$mod:[2,1]}}`, `{$not:{$type:'string'}}`, `{$elemMatch:{$type:'object'}}`, `{$elemMatch:{$mod:[2,1]}}`, `{$mod:[2,1],$gt:1}`)
	case 14:
		return w.pick(`null`, `{$ne:null}`, `{$in:[null,'x']}`, `{$gte:null}`, `'x'`, `{$gte:1}`, `1`)
	case 9:
		return w.pick(`{$regex:'^x'}`, `{$regex:'^xy?'}`, `{$regex:'y'}`, `{$regex:'^x',$options:'i'}`, `{$not:{$regex:'^x'}}`, `{$type:'array'}`)
	case 10:
		return `{` + w.pick(`$in`, `$nin`) + `:[` + w.value(1) + `,` + w.scalar() + `,` + w.pick(`null`, `{$regularExpression:{pattern:'^x',options:''}}`, `{$regularExpression:{pattern:'y',options:''}}`, `[]`, `1`) + `]}`
	case 11:
		return `{$elemMatch:{` + w.pick(`b`, `c`, `'b.c'`) + `:` + w.condition() + `,` + w.pick(`d`, `'c.d'`, `'0'`) + `:` + w.condition() + `}}`
	case 12:
		return `{$elemMatch:{` + w.pick(`$gt`, `$gte`, `$ne`) + `:` + w.scalar() + `,` + w.pick(`$lt`, `$lte`, `$nin`) + `:` + w.pick(`[1,'x']`, `[null]`) + `}}`
	case 13:
		return `{` + w.pick(`$all`, `$nin`) + `:[` + w.scalar() + `,` + w.scalar() + `]}`
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
	more := w.pick(``, ``, `,$and:[{c:{$gte:1}}]`, `,$and:[{b:'x'}]`, `,$and:[{c:{$gt:'a'}}]`, `,$and:[{a:{$ne:null}}]`)
	return `{` + first + `:` + w.condition() + `,` + second + `:` + w.condition() + more + `}`
}

// sets are indexes that are tried together. A hint may name those that have every document.
var sets = []struct{ name, indexes, hints string }{
	{"many", `{name:'a',key:{a:1}},{name:'ab',key:{a:-1,b:1}},{name:'b',key:{b:1},sparse:true},` +
		`{name:'ac',key:{'a.c':1}},{name:'c',key:{c:1},partialFilterExpression:{c:{$gt:1}}},{name:'a0',key:{'a.0':1}},{name:'a0b',key:{'a.0.b':-1}}`, `a ab ac a0 a0b`},
	{"compound below one array", `{name:'abc',key:{'a.b':1,'a.c':-1,b:1}}`, `abc`},
	{"compound of two fields", `{name:'bac',key:{b:-1,'a.b':1,c:1}}`, `bac`},
	{"deep", `{name:'abc',key:{'a.b.c':1,'a.b':1}},{name:'bc',key:{'b.c':-1}}`, `abc bc`},
	{"sparse", `{name:'s',key:{a:1},sparse:true},{name:'t',key:{b:1,c:1},sparse:true},{name:'u',key:{'a.b':1},sparse:true}`, ``},
	{"partial", `{name:'p',key:{a:1},partialFilterExpression:{a:{$exists:true}}},{name:'q',key:{b:1},partialFilterExpression:{c:{$gte:1}}},` +
		`{name:'r',key:{'a.b':1},partialFilterExpression:{'a.b':{$type:'number'}}},{name:'v',key:{c:-1},partialFilterExpression:{b:'x'}},` +
		`{name:'y',key:{c:1},partialFilterExpression:{c:{$gte:1,$type:'int'}}}`, ``},
	{"wildcard", `{name:'w',key:{'$**':1}}`, ``},
	{"wildcard below a field", `{name:'w',key:{'a.$**':-1}}`, ``},
	{"wildcard without some fields", `{name:'w',key:{'$**':1},wildcardProjection:{'a.b':0,'b.c':0}}`, ``},
	{"compound wildcard", `{name:'w',key:{b:1,'a.$**':1}}`, ``},
	{"two wildcards", `{name:'v',key:{'$**':-1},wildcardProjection:{b:1,a:1}},{name:'w',key:{c:1}}`, ``},
	{"hashed", `{name:'h',key:{c:'hashed',b:1}},{name:'i',key:{d:'hashed'}}`, `h`},
	{"collation", `{name:'l',key:{a:1},collation:{locale:'en',strength:2}},{name:'m',key:{b:1,c:1},collation:{locale:'en',strength:2}},{name:'n',key:{c:1}},` +
		`{name:'o',key:{'a.b':1},partialFilterExpression:{c:{$gt:'a'}},collation:{locale:'en',strength:2}}`, `l m n`},
}

// TestIndexesAndScansAgree asks both collections the same questions. What an index answers must be what a scan answers,
// with any hint, in any order and under any collation.
func TestIndexesAndScansAgree(t *testing.T) {
	for i, set := range sets {
		for seed := range uint64(4) {
			if seed < 2 && set.name == "compound wildcard" {
				continue // since version 7.0
			}
			t.Run(fmt.Sprint(set.name, ", seed ", seed), func(t *testing.T) {
				w := author{rand.New(rand.NewPCG(seed, uint64(i)))}
				c := newCollections(t, []int32{13, 17, 21, 25}[seed], set.indexes)
				fill(t, c, w)
				for range 100 {
					c.ask(t, w, strings.Fields(set.hints))
				}
			})
		}
	}
}

// ask compares the answers to one random query.
func (c *collections) ask(t *testing.T, w author, hints []string) {
	t.Helper()
	filter := `filter:` + w.filter(0)
	if w.IntN(3) == 0 {
		filter += `,collation:{locale:'en',strength:2}`
	}
	plain := c.ids(t, "plain", filter, false)
	if indexed := c.ids(t, "indexed", filter, false); !slices.Equal(plain, indexed) {
		t.Fatalf("%s\n scan found %v\nindex found %v", filter, plain, indexed)
	}
	for _, name := range append(hints, `{$natural:-1}`) {
		hint := filter + `,hint:'` + name + `'`
		if strings.HasPrefix(name, "{") {
			hint = filter + `,hint:` + name
		}
		if indexed := c.ids(t, "indexed", hint, false); !slices.Equal(plain, indexed) {
			t.Fatalf("%s\n scan found %v\nindex found %v", hint, plain, indexed)
		}
	}
	by := w.pick(`a`, `b`, `'a.c'`, `'a.b'`, `c`, `'a.b.c'`, `'a.0'`, `'a.0.b'`)
	if len(hints) < 5 && strings.Contains(by, "0") {
		return // without an index on it, a position may be ambiguous
	}
	sort := filter + `,sort:{` + by + `:` + w.pick(`1`, `-1`) + `,_id:` + w.pick(`1`, `-1`) + `}`
	plain, indexed := c.ids(t, "plain", sort, true), c.ids(t, "indexed", sort, true)
	if !slices.Equal(plain, indexed) {
		t.Fatalf("%s\n scan gives %v\nindex gives %v", sort, plain, indexed)
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
