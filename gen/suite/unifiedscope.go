package suite

import (
	"fmt"
	"go/token"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/specdrivers/onion/gen/suite/source"
	"github.com/specdrivers/onion/gen/suite/unified"
)

// entity is an object that operations name.
type entity struct {
	kind, id, name string
	code           *jen.Statement // how Go names it
	uses           int
	anyRouters     bool // a client without useMultipleMongoses
}

// entityTypes are the Go types by the kind of entity.
var entityTypes = map[string]string{
	"client": "Client", "database": "Database", "collection": "Collection", "session": "Session", "bucket": "Bucket",
	"thread": "Thread", "cursor": "Cursor", "topologyDescription": "Topology", "value": "Value", "clientEncryption": "ClientEncryption",
}

func entityType(kind string) *jen.Statement { return jen.Op("*").Add(sharedSymbol(entityTypes[kind])) }

// scope holds the entities that exist at a point of a case.
type scope struct {
	entities map[string]*entity
	names    map[string]bool
}

func newScope(outer *scope) *scope {
	s := &scope{entities: map[string]*entity{}, names: map[string]bool{}}
	if outer != nil {
		for id, e := range outer.entities {
			inner := *e
			inner.uses = 0
			s.entities[id] = &inner
		}
		for name := range outer.names {
			s.names[name] = true
		}
	}
	return s
}

// takenIdentifiers are the identifiers that compiled cases use for other things than entities.
var takenIdentifiers = []string{
	"r", "e", "t", "tx", "bson", "options", "unified", "suite", "time", "new", "nil", "true", "false", "string", "any", "math", "testing",
	"int32", "int64", "float64", "byte", "bool", "int", "description", "event", "bsontype",
}

// define adds an entity. Its name must be new. Unified Test Format, "Entity Map".
func (c *compiler) define(s *scope, kind, id string, line int) *entity {
	if s.entities[id] != nil {
		c.problemf(&source.Node{Line: line}, "the entity %q already exists", id)
		return nil
	}
	name := lowerFirst(goName(id))
	if token.IsKeyword(name) || slices.Contains(takenIdentifiers, name) || name[0] >= '0' && name[0] <= '9' {
		name = "the" + goName(id)
	}
	base := name
	for i := 2; s.names[name]; i++ {
		name = fmt.Sprintf("%s%d", base, i)
	}
	e := &entity{kind: kind, id: id, name: name, code: jen.Id(name)}
	s.entities[id] = e
	s.names[name] = true
	return e
}

// use finds an entity of a kind.
func (c *compiler) use(s *scope, n *source.Node, kinds ...string) *entity {
	e := s.entities[n.Text]
	if e == nil {
		c.problemf(n, "there is no entity %q", n.Text)
		return &entity{kind: kinds[0], code: jen.Nil()}
	}
	if !slices.Contains(kinds, e.kind) {
		c.problemf(n, "the entity %q is a %s, not a %s", n.Text, e.kind, kinds[0])
	}
	e.uses++
	return e
}

// entity prints the code that creates an entity, and adds the entity to the scope.
func (u *unifiedFile) entity(s *scope, e unified.Entity) (jen.Code, *entity) {
	f := u.object(e.Body)
	defer f.reportUnread()
	f.str("id")
	var call jen.Code
	switch e.Kind {
	case "client":
		call = jen.Id("r").Dot("Client").Call(u.clientOptions(s, f))
	case "database":
		owner := u.use(s, f.need("client"), "client")
		args := append([]jen.Code{text(f.str("databaseName"))}, u.structArgs(f.get("databaseOptions"), "Database")...)
		call = jen.Add(owner.code).Dot("Database").Call(args...)
	case "collection":
		owner := u.use(s, f.need("database"), "database")
		args := append([]jen.Code{text(f.str("collectionName"))}, u.structArgs(f.get("collectionOptions"), "Collection")...)
		call = jen.Add(owner.code).Dot("Collection").Call(args...)
	case "session":
		owner := u.use(s, f.need("client"), "client")
		call = jen.Add(owner.code).Dot("StartSession").Call(u.sessionArgs(s, f.get("sessionOptions"))...)
	case "bucket":
		owner := u.use(s, f.need("database"), "database")
		call = jen.Add(owner.code).Dot("Bucket").Call(u.structArgs(dropDisableMD5(f.get("bucketOptions")), "GridFSBucket")...)
	case "thread":
		call = jen.Id("r").Dot("Thread").Call()
	case "clientEncryption":
		call = u.clientEncryption(s, f.need("clientEncryptionOpts"))
	}
	made := u.define(s, e.Kind, e.ID, e.Line)
	if made != nil {
		made.anyRouters = e.Kind == "client" && !e.Body.Has("useMultipleMongoses")
	}
	return call, made
}

// dropDisableMD5 leaves disableMD5 out of the options of a bucket, because it changes nothing in a driver that writes
// no MD5. GridFS, "Configurable GridFSBucket class".
func dropDisableMD5(n *source.Node) *source.Node {
	if n == nil || !n.Has("disableMD5") {
		return n
	}
	rest := *n
	rest.Members = slices.DeleteFunc(slices.Clone(n.Members), func(m source.Member) bool { return m.Key == "disableMD5" })
	return &rest
}

// structArgs prints options of an entity, if there are any.
func (u *unifiedFile) structArgs(n *source.Node, name string) []jen.Code {
	if n == nil {
		return nil
	}
	return []jen.Code{u.structValue(n, name)}
}

// clientEncryption prints the code that creates an object for explicit encryption, on the client of its key vault.
func (u *unifiedFile) clientEncryption(s *scope, n *source.Node) jen.Code {
	f := u.object(n)
	owner := u.use(s, f.need("keyVaultClient"), "client")
	rest := *n
	rest.Members = slices.DeleteFunc(slices.Clone(n.Members), func(m source.Member) bool { return m.Key == "keyVaultClient" })
	return jen.Add(owner.code).Dot("ClientEncryption").Call(u.structValue(&rest, "ClientEncryption"))
}

// sessionArgs prints the options of a session. Its snapshotTime is the name of an entity. Unified Test Format,
// "getSnapshotTime".
func (u *unifiedFile) sessionArgs(s *scope, n *source.Node) []jen.Code {
	if n == nil {
		return nil
	}
	rest := *n
	rest.Members = slices.Clone(n.Members)
	var at *source.Node
	rest.Members = slices.DeleteFunc(rest.Members, func(m source.Member) bool {
		if m.Key == "snapshotTime" && m.Value.Kind == source.String {
			at = m.Value
			return true
		}
		return false
	})
	args := []jen.Code{u.structValue(&rest, "Session")}
	if at != nil {
		args = append(args, module("generated/options", "Session").Values(field("SnapshotTime",
			jen.Add(u.use(s, at, "value").code).Dot("Timestamp").Call())))
		args[1] = jen.Op("&").Add(args[1])
	}
	return args
}

// clientOptions prints the options of a client.
func (u *unifiedFile) clientOptions(s *scope, f *fields) jen.Code {
	var values []jen.Code
	add := func(name string, code jen.Code) { values = append(values, field(name, code)) }
	if uri := f.get("uriOptions"); uri != nil {
		for _, m := range uri.Members {
			if !u.catalogue.uri[strings.ToLower(m.Key)] {
				u.problemf(m.Value, "a connection string has no option %q", m.Key)
			}
		}
		add("URI", u.placeholders(uri))
	}
	if many, ok := f.flagOr("useMultipleMongoses"); ok {
		add("UseMultipleMongoses", jen.New(jen.Lit(many)))
		u.single, u.several = u.single || !many, u.several || many
	}
	if list, ok := f.listOr("observeEvents"); ok {
		var kinds []jen.Code
		for _, n := range list {
			kinds = append(kinds, u.eventKind(n, n.Text))
		}
		add("Observe", jen.Index().Add(sharedSymbol("Kind")).Values(kinds...))
	}
	if list, ok := f.listOr("ignoreCommandMonitoringEvents"); ok {
		var names []jen.Code
		for _, n := range list {
			names = append(names, text(n.Text))
		}
		add("Ignore", jen.Index().String().Values(names...))
	}
	if on, _ := f.flagOr("observeSensitiveCommands"); on {
		add("ObserveSensitive", jen.True())
	}
	if logs := f.get("observeLogMessages"); logs != nil {
		var levels []jen.Code
		for _, m := range logs.Members {
			levels = append(levels, field(upperFirst(m.Key), text(m.Value.Text)))
		}
		add("Logs", sharedSymbol("LogLevels").Values(levels...))
	}
	if spans := f.get("observeTracingMessages"); spans != nil {
		payload := u.object(spans)
		on, _ := payload.flagOr("enableCommandPayload")
		payload.reportUnread()
		add("Traces", jen.Op("&").Add(sharedSymbol("TraceOptions")).Values(field("CommandPayload", jen.Lit(on))))
	}
	if api := f.get("serverApi"); api != nil {
		add("ServerAPI", u.structValue(api, "ServerAPI"))
	}
	if ms, ok := f.integerOr("awaitMinPoolSizeMS"); ok {
		add("AwaitMinPoolSize", jen.Lit(int(ms)).Op("*").Qual("time", "Millisecond"))
	}
	if n := f.get("autoEncryptOpts"); n != nil {
		add("AutoEncryption", u.structValue(n, "AutoEncryption"))
	}
	if stores := u.eventStores(s, f.get("storeEventsAsEntities")); len(stores) > 0 {
		add("Store", jen.Index().Add(sharedSymbol("Store")).Values(stores...))
	}
	return sharedSymbol("ClientOptions").Values(values...)
}

// eventKind prints the kind of an event from its name in the format. That is its name in the table of events with a
// lower-case first letter.
func (c *compiler) eventKind(n *source.Node, name string) jen.Code {
	kind := c.catalogue.events[upperFirst(name)]
	if kind == "" {
		c.problemf(n, "%q is not an event", name)
	}
	return sharedSymbol(kind)
}

// createEntities prints the entities that a step makes.
func (u *unifiedCase) createEntities(a *arguments) []jen.Code {
	var out []jen.Code
	for _, n := range a.need("entities").Items {
		if found := ignoreSchemaRules(u.unified.ValidateEntity(n)); len(found) > 0 {
			for _, v := range found {
				u.problemf(&source.Node{Line: v.Line}, "%s", v)
			}
			continue
		}
		entity := unified.ReadEntity(n)
		for _, id := range storedEvents(entity) {
			out = append(out, u.declareLocal("value", id.Text, id.Line, jen.Id("r").Dot("List").Call()))
		}
		call, e := u.entity(u.scope, entity)
		if e == nil {
			continue
		}
		delete(u.scope.entities, entity.ID)
		delete(u.scope.names, e.name)
		out = append(out, u.declareLocal(entity.Kind, entity.ID, entity.Line, jen.Add(call)))
		if made := u.scope.entities[entity.ID]; made != nil {
			made.anyRouters = e.anyRouters
		}
	}
	a.reportUnread()
	return out
}
