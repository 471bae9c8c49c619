package main

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// notMirrored are declarations that declaredTypes and the like leave out, by document and with the reason.
var notMirrored = []struct{ path, names, why string }{
	{crudDoc, "WriteModel", "it has no members"},
	{bulkDoc, "WriteModel", "it has no members"},
	{
		bulkDoc,
		"InsertOneModel UpdateOneModel UpdateManyModel ReplaceOneModel DeleteOneModel DeleteManyModel",
		"the models of a bulk write on a collection serve",
	},
	{bulkDoc, "BulkWriteResult VerboseResults", "ClientBulkWriteResult joins its forms"},
	{bulkDoc, "InsertOneResult UpdateResult DeleteResult", "the results of single writes serve"},
	{bulkDoc, "BulkWriteException", "runtime/fault has the errors"},
	{crudDoc, "WriteConcernError WriteError BulkWriteError WriteException BulkWriteException", "runtime/fault has the errors"},
	{indexDoc, "CreateIndexesOptions CreateOneIndexOptions CreateManyIndexesOptions", "the same as CreateIndexOptions"},
	{indexDoc, "DropIndexesOptions DropOneIndexOptions DropAllIndexesOptions", "the same as DropIndexOptions"},
	{indexDoc, "CreateSearchIndexOptions UpdateSearchIndexOptions ListSearchIndexOptions DropSearchIndexOptions", "they have no members"},
	{indexDoc, "Collection IndexView SearchIndexView", "methods"},
	{crudDoc, "Collection Database", "methods"},
	{bulkDoc, "MongoClient", "methods"},
	{streamDoc, "ChangeStream Collection Database MongoClient", "methods"},
	{gridDoc, "GridFSBucket", "methods"},
	{runDoc, "Database", "methods"},
	{handshakeDoc, "MongoClient", "methods"},
	{"versioned-api/versioned-api.md", "MongoClient", "methods"},
	{transDoc, "ClientSession", "methods"},
	{causalDoc, "ClientSession", "methods"},
	{snapshotDoc, "ClientSession", "methods"},
	{"transactions-convenient-api/transactions-convenient-api.md", "ClientSession", "methods"},
	{sessionDoc, "SessionOptions", "it says that other documents add to it"},
	{sessionDoc, "MongoClient ClientSession", "methods"},
	{sessionDoc, "ServerSession SessionId ClusterTime", "runtime/internal/session has them"},
	{
		sessionDoc,
		"StartSessionCommand StartSessionResponse StartSessionError EndSessionCommand EndSessionResponse EndSessionError AnyServerResponse",
		"specs/commands has what is sent and read",
	},
	{sessionDoc, "ExampleCommandWithLSID WrappedCommandExample CorrectLSIDUsageExample IncorrectLSIDUsageExample", "examples"},
	{cursorDoc, "FindCommand GetMoreResponse", "commands/find.yaml has all options, and options/replies.yaml what is read"},
	{authDoc, "JwtStepRequest PrincipalStepRequest", "auth/commands.yaml has the payloads"},
	{poolDoc, "ConnectionPoolOptions", "readPoolOptions reads it"},
	{poolDoc, "Connection ConnectionPool", "runtime/pool has them"},
	{poolDoc, "PoolClosedError PoolClearedError WaitQueueTimeoutError", "runtime/fault has the errors, pool/messages.yaml their texts"},
	{"server-discovery-and-monitoring/server-discovery-and-monitoring-logging-and-monitoring.md", "TopologyDescription", "methods"},
	{"server-discovery-and-monitoring/server-monitoring.md", "Monitor RttMonitor", "pseudocode"},
	{"bson-binary-uuid/uuid.md", "UuidRepresentation BsonBinary", "package bson has them by hand"},
	{encryptDoc, "AutoEncryptionOpts ClientEncryptionOpts", "each is declared twice, in two notations"},
	{encryptDoc, "MongoClient ClientEncryption", "methods"},
	{encryptDoc, "CredentialProviders AWSCredentialProvider KMSProvidersTLSOptions", "maps and functions of Go serve"},
	{
		encryptDoc,
		"KMSProviders KMSProvider AWSKMSOptions AzureKMSOptions AzureKMSCredentials AzureAccessToken " +
			"GCPKMSOptions GCPKMSCredentials GCPKMSAccessToken LocalKMSOptions KMIPKMSOptions",
		"maps that encryption/kms.yaml describes",
	},
}

const sessionDoc = "sessions/driver-sessions.md"

// opening is a line that opens the declaration of a type, in a block of code.
var opening = regexp.MustCompile(`^ *(?:(?:class|interface|enum) (\w+)\b[^.;]*|type (\w+) = .*)$`)

// readNothingElse yields no table. It looks through all documents of a checkout for what the other readers miss.
func readNothingElse(from string, l *library) reader {
	return func(open func(string) (*document, error)) ([]table, error) {
		paths, err := l.specifications(from)
		if err != nil {
			return nil, err
		}
		var documents []*document
		for _, path := range paths {
			if aboutTests(path) {
				continue
			}
			d, err := open(path)
			if err != nil {
				return nil, err
			}
			d.problems = append(d.problems, d.strange()...)
			documents = append(documents, d)
		}
		return nil, undeclared(documents)
	}
}

// undeclared reports the declarations of a checkout that no table mirrors and notMirrored does not list. It also
// reports entries of notMirrored that no longer exist or that a table mirrors after all.
func undeclared(documents []*document) error {
	mirrored, reasons := map[string]bool{}, map[string]bool{}
	for _, d := range slices.Concat(declaredTypes, declaredEnums, declaredCommands) {
		for _, part := range append([]declared{d}, d.more...) {
			for _, name := range part.names {
				mirrored[part.path+" "+name] = true
			}
		}
	}
	mirrored[cursorDoc+" GetMoreCommand"] = true
	for _, n := range notMirrored {
		for name := range strings.FieldsSeq(n.names) {
			reasons[n.path+" "+name] = true
		}
	}
	var problems []error
	found := map[string]bool{}
	for _, d := range documents {
		for _, x := range d.declarations() {
			key := d.path + " " + x.name
			if reasons[d.path+" *"] {
				key = d.path + " *"
			}
			found[key] = true
			if !mirrored[key] && !reasons[key] && !isEvent(d, x) {
				problems = append(problems, d.errorf(x.line, "no table mirrors %s", x.name))
			}
		}
	}
	for key := range reasons {
		if !found[key] || mirrored[key] {
			problems = append(problems, fmt.Errorf("specsync: the reason why nothing mirrors %s is out of date", key))
		}
	}
	slices.SortFunc(problems, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
	return errors.Join(problems...)
}

// isEvent reports whether readEvents reads a declaration.
func isEvent(d *document, x opened) bool {
	return slices.Contains(eventDocuments, d.path) && interfaceStart.MatchString(d.lines[x.line-1])
}

// opened is the opening line of a declaration.
type opened struct {
	name string
	line int
}

// declarations lists the declarations in a document's blocks of code.
func (d *document) declarations() []opened { return remembered(d, "declarations", d.findDeclarations) }

func (d *document) findDeclarations() []opened {
	var out []opened
	for i, line := range d.lines {
		if d.kind(i) != code {
			continue
		}
		if m := opening.FindStringSubmatch(line); m != nil {
			out = append(out, opened{m[1] + m[2], i + 1})
		}
	}
	return out
}
