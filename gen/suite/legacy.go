package suite

import (
	"fmt"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/specdrivers/onion/gen/suite/source"
)

// legacyFile rewrites a test file in client-side encryption's legacy format into the unified format. The result
// compiles like any other file. Client Side Encryption Tests, "Spec Test Format", and Legacy Transactions Tests Format.
type legacyFile struct {
	*compiler
	database, collection string
}

// The entities of a case, and the key vault of a client that names none.
const (
	legacyClient     = "client"
	legacyDatabase   = "database"
	legacyCollection = "collection"
	legacyFailPoint  = "failPointClient"
	legacyVault      = "keyvault.datakeys"
)

// openLegacy reads a legacy file.
func openLegacy(c *compiler) ([]jen.Code, func(*compiler, *source.Node) []jen.Code) {
	root := (&legacyFile{compiler: c}).rewrite(c.file.Root)
	if len(c.problems) > 0 {
		return nil, nil
	}
	u := &unifiedFile{compiler: c, loose: true}
	return u.open(root)
}

// rewrite returns the unified file.
func (l *legacyFile) rewrite(n *source.Node) *source.Node {
	f := l.object(n)
	defer f.reportUnread()
	l.database, l.collection = f.str("database_name"), f.str("collection_name")
	at := source.At(n)
	var runOn *source.Node
	if list := f.get("runOn"); list != nil && len(list.Items) > 0 {
		runOn = l.rewriteItems(list, l.requirement)
	}
	return at.Object(
		"description", at.Text(l.file.Base),
		"schemaVersion", at.Text(fmt.Sprintf("%d.%d", newestSchema[0], newestSchema[1])),
		"runOnRequirements", runOn,
		"initialData", l.data(f),
		"tests", l.rewriteItems(f.need("tests"), l.test),
	)
}

func (l *legacyFile) requirement(n *source.Node) *source.Node {
	f := l.object(n)
	defer f.reportUnread()
	return source.At(n).Object(
		"minServerVersion", f.value("minServerVersion"), "maxServerVersion", f.value("maxServerVersion"),
		"topologies", f.value("topology"), "serverless", f.value("serverless"),
	)
}

// data returns the documents that the key vault and the collection hold before each case. Client Side Encryption Tests, "Use as
// integration tests", steps 2 to 5.
func (l *legacyFile) data(f *fields) *source.Node {
	at := source.At(f.n)
	list := at.List()
	if keys := f.get("key_vault_data"); keys != nil {
		database, collection, _ := strings.Cut(legacyVault, ".")
		list.Items = append(list.Items, l.collectionData(at, database, collection, nil, keys))
	}
	var validator, create *source.Node
	if schema := f.get("json_schema"); schema != nil {
		validator = at.Object("$jsonSchema", schema)
	}
	if create = at.Object("validator", validator, "encryptedFields", f.get("encrypted_fields")); len(create.Members) == 0 {
		create = nil
	}
	documents := f.get("data")
	if documents == nil {
		documents = at.List()
	}
	list.Items = append(list.Items, l.collectionData(at, l.database, l.collection, create, documents))
	return list
}

func (l *legacyFile) collectionData(at source.Line, database, collection string, create, documents *source.Node) *source.Node {
	return at.Object(
		"databaseName", at.Text(database), "collectionName", at.Text(collection), "createOptions", create,
		"documents", documents,
	)
}

// rewriteItems rewrites the items of an array.
func (l *legacyFile) rewriteItems(n *source.Node, rewrite func(*source.Node) *source.Node) *source.Node {
	if n.Kind != source.Array {
		l.problemf(n, "is %s where an array is expected", n.Kind)
	}
	out := source.At(n).List()
	for _, item := range n.Items {
		out.Items = append(out.Items, rewrite(item))
	}
	return out
}

// legacyKeys are the credentials for a provider that has none. Client Side Encryption Tests, "Use as integration
// tests", step 6.
var legacyKeys = map[string][]string{
	"aws":   {"accessKeyId", "secretAccessKey"},
	"azure": {"tenantId", "clientId", "clientSecret"},
	"gcp":   {"email", "privateKey"},
	"kmip":  {"endpoint"},
	"local": {"key"},
}

// autoEncryption returns the options in the unified format.
func (l *legacyFile) autoEncryption(n *source.Node) *source.Node {
	out := *n
	out.Members = nil
	vault := false
	for _, m := range n.Members {
		vault = vault || m.Key == "keyVaultNamespace"
		if m.Key == "kmsProviders" {
			m.Value = l.providers(m.Value)
		}
		out.Members = append(out.Members, m)
	}
	if !vault {
		at := source.At(n)
		out.Members = append(out.Members, at.Object("keyVaultNamespace", at.Text(legacyVault)).Members...)
	}
	return &out
}

// providers returns the settings of key management services in the unified format: with keys in base64, and placeholders for
// values that only the run knows.
func (l *legacyFile) providers(n *source.Node) *source.Node {
	out := source.At(n).Object()
	for _, m := range n.Members {
		at := source.At(m.Value)
		placeholder := at.Object("$$placeholder", at.Text(m.Key))
		name, base := m.Key, m.Key
		base, _, _ = strings.Cut(base, ":")
		switch {
		case name == "awsTemporary":
			m.Value = at.Object("accessKeyId", placeholder, "secretAccessKey", placeholder, "sessionToken", placeholder)
			m.Key = "aws"
		case name == "awsTemporaryNoSessionToken":
			m.Value = at.Object("accessKeyId", placeholder, "secretAccessKey", placeholder, "sessionToken", at.Text(""))
			m.Key = "aws"
		case len(m.Value.Members) == 0 && legacyKeys[base] != nil:
			m.Value = at.Object()
			for _, key := range legacyKeys[base] {
				m.Value.Members = append(m.Value.Members, source.Member{Key: key, Line: m.Line, Value: placeholder})
			}
		case base == "local":
			m.Value = localKey(m.Value)
		}
		out.Members = append(out.Members, m)
	}
	return out
}

// localKey writes the key of the provider local in base64. The legacy format has it as a binary.
func localKey(n *source.Node) *source.Node {
	out := *n
	out.Members = nil
	for _, m := range n.Members {
		if b := m.Value.Get("$binary"); b != nil && b.Get("base64") != nil {
			m.Value = b.Get("base64")
		}
		out.Members = append(out.Members, m)
	}
	return &out
}
