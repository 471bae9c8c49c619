package main

import (
	"errors"
	"fmt"
	"slices"
)

// mirroredDeclaration joins a declaration, or several that add to each other, with the struct that mirrors it.
type mirroredDeclaration struct {
	file, name string // the table file, and the struct or operation options in it
	path       string // the document
	names      []string
	more       []mirroredDeclaration // declarations of the same type in other documents
}

const (
	crudDoc     = "crud/crud.md"
	bulkDoc     = "crud/bulk-write.md"
	indexDoc    = "index-management/index-management.md"
	streamDoc   = "change-streams/change-streams.md"
	encryptDoc  = "client-side-encryption/client-side-encryption.md"
	gridDoc     = "gridfs/gridfs-spec.md"
	concernDoc  = "read-write-concern/read-write-concern.md"
	runDoc      = "run-command/run-command.md"
	transDoc    = "transactions/transactions.md"
	collateDoc  = "collation/collation.md"
	causalDoc   = "causal-consistency/causal-consistency.md"
	snapshotDoc = "sessions/snapshot-sessions.md"
)

// declaredTypes are the structs in options/types.
var declaredTypes = []mirroredDeclaration{
	{file: "bulk", name: "BulkWrite", path: crudDoc, names: []string{"BulkWriteOptions"}},
	{file: "changestream", name: "ChangeStream", path: streamDoc, names: []string{"ChangeStreamOptions"}},
	{file: "changestream", name: "ChangeEvent", path: streamDoc, names: []string{"ChangeStreamDocument"}},
	{file: "changestream", name: "UpdateDescription", path: streamDoc, names: []string{"UpdateDescription"}},
	{file: "collation", name: "Collation", path: collateDoc, names: []string{"Collation"}},
	{file: "concerns", name: "ReadConcern", path: concernDoc, names: []string{"ReadConcern"}},
	{file: "concerns", name: "WriteConcern", path: concernDoc, names: []string{"WriteConcern"}},
	{file: "connection", name: "ServerAPI", path: "versioned-api/versioned-api.md", names: []string{"ServerApi"}},
	{file: "connection", name: "DriverInfo", path: "mongodb-handshake/handshake.md", names: []string{"DriverInfoOptions"}},
	{file: "credential", name: "OIDCArgs", path: "auth/auth.md", names: []string{"OIDCCallbackParams"}},
	{file: "credential", name: "OIDCCredential", path: "auth/auth.md", names: []string{"OIDCCredential"}},
	{file: "credential", name: "IDPInfo", path: "auth/auth.md", names: []string{"IdpInfo"}},
	{file: "encryption", name: "DataKey", path: encryptDoc, names: []string{"DataKeyOpts"}},
	{file: "encryption", name: "RewrapManyDataKey", path: encryptDoc, names: []string{"RewrapManyDataKeyOpts"}},
	{file: "encryption", name: "RewrapManyDataKeyResult", path: encryptDoc, names: []string{"RewrapManyDataKeyResult"}},
	{file: "encryption", name: "Encrypt", path: encryptDoc, names: []string{"EncryptOpts"}},
	{file: "encryption", name: "Range", path: encryptDoc, names: []string{"RangeOpts"}},
	{file: "encryption", name: "String", path: encryptDoc, names: []string{"StringOpts"}},
	{file: "encryption", name: "Substring", path: encryptDoc, names: []string{"SubstringOpts"}},
	{file: "encryption", name: "Prefix", path: encryptDoc, names: []string{"PrefixOpts"}},
	{file: "encryption", name: "Suffix", path: encryptDoc, names: []string{"SuffixOpts"}},
	{file: "gridfs", name: "GridFSBucket", path: gridDoc, names: []string{"GridFSBucketOptions"}},
	{file: "gridfs", name: "GridFSUpload", path: gridDoc, names: []string{"GridFSUploadOptions"}},
	{file: "gridfs", name: "GridFSFind", path: gridDoc, names: []string{"GridFSFindOptions"}},
	{file: "gridfs", name: "GridFSName", path: gridDoc, names: []string{"GridFSDownloadByNameOptions"}},
	{file: "indexes", name: "IndexModel", path: indexDoc, names: []string{"IndexModel"}},
	{file: "indexes", name: "Index", path: indexDoc, names: []string{"IndexOptions"}},
	{file: "indexes", name: "SearchIndexModel", path: indexDoc, names: []string{"SearchIndexModel"}},
	{file: "indexes", name: "SearchIndex", path: indexDoc, names: []string{"SearchIndexOptions"}},
	{file: "models", name: "InsertOneModel", path: crudDoc, names: []string{"InsertOneModel"}},
	{file: "models", name: "UpdateOneModel", path: crudDoc, names: []string{"UpdateOneModel"}},
	{file: "models", name: "UpdateManyModel", path: crudDoc, names: []string{"UpdateManyModel"}},
	{file: "models", name: "ReplaceOneModel", path: crudDoc, names: []string{"ReplaceOneModel"}},
	{file: "models", name: "DeleteOneModel", path: crudDoc, names: []string{"DeleteOneModel"}},
	{file: "models", name: "DeleteManyModel", path: crudDoc, names: []string{"DeleteManyModel"}},
	{file: "models", name: "NamespaceWriteModel", path: bulkDoc, names: []string{"NamespaceWriteModelPair"}},
	{file: "results", name: "InsertOneResult", path: crudDoc, names: []string{"InsertOneResult"}},
	{file: "results", name: "InsertManyResult", path: crudDoc, names: []string{"InsertManyResult"}},
	{file: "results", name: "UpdateResult", path: crudDoc, names: []string{"UpdateResult"}},
	{file: "results", name: "DeleteResult", path: crudDoc, names: []string{"DeleteResult"}},
	{file: "results", name: "BulkWriteResult", path: crudDoc, names: []string{"BulkWriteResult"}},
	{file: "scopes", name: "RunCommand", path: runDoc, names: []string{"RunCommandOptions"}},
	{
		file:  "scopes",
		name:  "RunCursorCommand",
		path:  runDoc,
		names: []string{"RunCommandOptions", "RunCursorCommandOptions", "RunCursorCommandGetMoreOptions"},
	},
	{file: "sessions", name: "Transaction", path: transDoc, names: []string{"TransactionOptions"}},
	{file: "sessions", name: "Session", path: transDoc, names: []string{"SessionOptions"}, more: []mirroredDeclaration{
		{path: causalDoc, names: []string{"SessionOptions"}}, {path: snapshotDoc, names: []string{"SessionOptions"}},
	}},
}

// declaredEnums are the enumerations in options/types.
var declaredEnums = []mirroredDeclaration{
	{file: "concerns", name: "ReadConcernLevel", path: concernDoc, names: []string{"ReadConcernLevel"}},
	{file: "connection", name: "ServerAPIVersion", path: "versioned-api/versioned-api.md", names: []string{"ServerApiVersion"}},
	{file: "cursor", name: "CursorType", path: crudDoc, names: []string{"CursorType"}},
	{file: "cursor", name: "ReturnDocument", path: crudDoc, names: []string{"ReturnDocument"}},
}

// declaredCommands are the option structs of commands.
var declaredCommands = []mirroredDeclaration{
	{file: "aggregate", name: "Aggregate", path: crudDoc, names: []string{"AggregateOptions"}},
	{file: "aggregate", name: "Count", path: crudDoc, names: []string{"CountOptions"}},
	{file: "bulkWrite", name: "ClientBulkWrite", path: bulkDoc, names: []string{"BulkWriteOptions"}},
	{file: "count", name: "EstimatedDocumentCount", path: crudDoc, names: []string{"EstimatedDocumentCountOptions"}},
	{file: "count", name: "Count", path: crudDoc, names: []string{"CountOptions"}},
	{file: "createIndexes", name: "CreateIndexes", path: indexDoc, names: []string{"CreateIndexOptions"}},
	{file: "delete", name: "DeleteOne", path: crudDoc, names: []string{"DeleteOptions"}},
	{file: "delete", name: "DeleteMany", path: crudDoc, names: []string{"DeleteOptions"}},
	{file: "distinct", name: "Distinct", path: crudDoc, names: []string{"DistinctOptions"}},
	{file: "dropIndexes", name: "DropIndexes", path: indexDoc, names: []string{"DropIndexOptions"}},
	{file: "explain", name: "Explain", path: crudDoc, names: []string{"ExplainOptions"}},
	{file: "find", name: "Find", path: crudDoc, names: []string{"FindOptions"}},
	{file: "find", name: "FindOne", path: crudDoc, names: []string{"FindOneOptions"}},
	{file: "findAndModify", name: "FindOneAndDelete", path: crudDoc, names: []string{"FindOneAndDeleteOptions"}},
	{file: "findAndModify", name: "FindOneAndReplace", path: crudDoc, names: []string{"FindOneAndReplaceOptions"}},
	{file: "findAndModify", name: "FindOneAndUpdate", path: crudDoc, names: []string{"FindOneAndUpdateOptions"}},
	{file: "insert", name: "InsertOne", path: crudDoc, names: []string{"InsertOneOptions"}},
	{file: "insert", name: "InsertMany", path: crudDoc, names: []string{"InsertManyOptions"}},
	{file: "listIndexes", name: "ListIndexes", path: indexDoc, names: []string{"ListIndexesOptions"}},
	{file: "update", name: "UpdateOne", path: crudDoc, names: []string{"UpdateOptions"}},
	{file: "update", name: "UpdateMany", path: crudDoc, names: []string{"UpdateOptions"}},
	{file: "update", name: "ReplaceOne", path: crudDoc, names: []string{"ReplaceOptions"}},
}

type openFunc = func(string) (*document, error)

// readDeclarations reads the declarations of options, models and results.
func readDeclarations(open openFunc) ([]table, error) {
	var out []table
	var problems []error
	for _, d := range declaredTypes {
		options, err := d.options(open)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		t := table{
			file:    "options/types/" + d.file + ".yaml",
			within:  []step{{"types", "name", d.name}},
			list:    "fields",
			key:     "option",
			source:  d.path,
			certain: true,
		}
		for _, o := range options {
			t.rows = append(t.rows, o.row())
		}
		out = append(out, t)
		others, err := d.earlierDeclarations(open, t)
		if err != nil {
			problems = append(problems, err)
		}
		out = append(out, others...)
	}
	for _, d := range declaredEnums {
		doc, err := open(d.path)
		if err != nil {
			return nil, err
		}
		names, err := doc.readMembers(d.names[0])
		if err != nil {
			problems = append(problems, err)
			continue
		}
		t := table{
			file:    "options/types/" + d.file + ".yaml",
			within:  []step{{"types", "name", d.name}},
			list:    "values",
			key:     "upstream",
			certain: true,
		}
		for _, name := range names {
			t.rows = append(t.rows, row{key: name, facts: []fact{{"upstream", name}}})
		}
		out = append(out, t)
	}
	commands, err := readCommandOptions(open)
	return append(out, commands...), errors.Join(append(problems, err)...)
}

// readCommandOptions yields, for each command, a table of all its options, and one for each struct of who has them.
func readCommandOptions(open openFunc) ([]table, error) {
	var all, members []table
	var problems []error
	doubtful := map[string]bool{}
	for _, d := range declaredCommands {
		file := "commands/" + d.file + ".yaml"
		options, err := d.options(open)
		if err != nil {
			if !slices.ContainsFunc(problems, func(p error) bool { return p.Error() == err.Error() }) {
				problems = append(problems, err)
			}
			doubtful[file] = true
			continue
		}
		i := slices.IndexFunc(all, func(t table) bool { return t.file == file })
		if i < 0 {
			i = len(all)
			all = append(all, table{file: file, list: "rows", key: "option"})
		}
		m := table{file: file, list: "rows", key: "option", members: "of", member: d.name, whole: true, certain: true}
		for _, o := range options {
			if !slices.ContainsFunc(all[i].rows, func(r row) bool { return r.key == o.name }) {
				all[i].rows = append(all[i].rows, o.row())
			}
			m.rows = append(m.rows, row{key: o.name, facts: []fact{{"option", o.name}}})
		}
		members = append(members, m)
		others, err := d.earlierDeclarations(open, table{file: file, list: "rows", key: "option", certain: true})
		if err != nil {
			problems = append(problems, err)
		}
		members = append(members, others...)
	}
	for i := range all {
		all[i].certain = !doubtful[all[i].file]
	}
	return append(all, members...), errors.Join(problems...)
}

// options reads all declarations of a struct.
func (d mirroredDeclaration) options(open openFunc) ([]option, error) {
	var out []option
	for _, part := range append([]mirroredDeclaration{d}, d.more...) {
		doc, err := open(part.path)
		if err != nil {
			return nil, err
		}
		for _, name := range part.names {
			options, err := doc.readOptions(name)
			if err != nil {
				return nil, err
			}
			out = append(out, options...)
		}
	}
	return out, nil
}

// earlierDeclarations returns the earlier declarations of the same names. What they say counts as well; where they disagree
// with the last one, that is a contradiction. A struct must also list every base of its declaration.
func (d mirroredDeclaration) earlierDeclarations(open openFunc, t table) ([]table, error) {
	var out []table
	for _, part := range append([]mirroredDeclaration{d}, d.more...) {
		doc, err := open(part.path)
		if err != nil {
			return nil, err
		}
		for _, name := range part.names {
			all := doc.starts(name)
			for i, at := range all {
				if at.base != "" && at.base != "Iterable" && !slices.Contains(part.names, at.base) {
					doc.note(doc.errorf(at.line, "%s extends %s, which no table reads beside it", name, at.base))
				}
				if i == len(all)-1 {
					continue
				}
				options, err := doc.readOptionsAt(at.line, at.indent, name)
				if err != nil {
					return nil, err
				}
				other := t
				other.rows, other.partial, other.source = nil, true, fmt.Sprintf("%s:%d", part.path, at.line)
				for _, o := range options {
					other.rows = append(other.rows, o.row())
				}
				out = append(out, other)
			}
		}
	}
	return out, nil
}

func (o option) row() row {
	if o.from == o.since {
		o.from = "" // since says it already
	}
	return row{
		key:   o.name,
		facts: []fact{{"option", o.name}, {"type", o.typ}, {"since", o.since}, {"from", o.from}, {"deprecated", o.deprecated}},
	}
}
