package main

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"
)

// openShelf opens miniature documents of our own.
func openShelf(documents map[string]string) func(string) (*document, error) {
	return func(path string) (*document, error) {
		text, ok := documents[path]
		if !ok {
			return nil, fmt.Errorf("%s: %w", path, fs.ErrNotExist)
		}
		return parse(path, []byte(text)), nil
	}
}

// runReader runs a reader on documents. What the reader noted about single rows counts as its error, too.
func runReader(read reader, documents map[string]string) ([]table, error) {
	opened := map[string]*document{}
	tables, err := read(func(path string) (*document, error) {
		if opened[path] == nil {
			d, err := openShelf(documents)(path)
			if err != nil {
				return nil, err
			}
			opened[path] = d
		}
		return opened[path], nil
	})
	for _, d := range opened {
		err = errors.Join(append([]error{err}, d.problems...)...)
	}
	return tables, err
}

// spellTables returns what readers found, one line a row.
func spellTables(tables []table) string {
	var b strings.Builder
	for _, t := range tables {
		for _, r := range t.rows {
			fmt.Fprintf(&b, "%s %s %s:", t.file, t.list, r.key)
			for _, f := range r.facts {
				fmt.Fprintf(&b, " %s=%s", f.column, f.value)
			}
			b.WriteString("\n")
		}
	}
	return b.String()
}

const sdamMini = `
##### TopologyType

Single, Sharded, or Unknown.

##### ServerType

Mongos or Unknown.

#### TopologyDescription

- ` + "`type`" + `: what it is.
- ` + "`stale`" + `: whether
    it is old.

#### ServerDescription

- (=) ` + "`minWireVersion`, `maxWireVersion`" + `: a range.

- ` + "`address`" + `: a place.

##### Initial TopologyType

| directConnection | replicaSet present | Initial TopologyType |
| ---------------- | ------------------ | -------------------- |
| true             | no                 | Single               |
| false            | yes                | Unknown              |

#### error

| circumstance                | error substring          |
| --------------------------- | ------------------------ |
| RSPrimary with a stale term | ` + "`'older <stale tuple>'`" + ` |

##### TopologyType table

|                    | TopologyType Unknown     | TopologyType Sharded | TopologyType ReplicaSetNoPrimary | TopologyType ReplicaSetWithPrimary |
| ------------------ | ------------------------ | -------------------- | -------------------------------- | ---------------------------------- |
| ServerType Unknown | no-op[^2]                | [remove](#remove)    | [remove](#remove) and [checkIfHasPrimary](#checkifhasprimary) | Set topology type to Sharded then [remove](#remove) |
`

const eventsMini = `
### Determining If A Topology Has Readable/Writable Servers

| Topology Type | ` + "`hasReadableServer`" + ` | ` + "`hasWritableServer`" + ` |
| ------------- | --- | --- |
| Unknown       | ` + "`false`" + ` | ` + "`false`" + ` |
| Single        | ` + "`true` if the server is available" + ` | ` + "`true`" + ` |
| Sharded       | Called with a mode: it depends | ` + "`true`" + ` |
`

const eventsDoc = "server-discovery-and-monitoring/server-discovery-and-monitoring-logging-and-monitoring.md"

func coreDocuments() map[string]string {
	return map[string]string{
		sdamDoc: sdamMini, eventsDoc: eventsMini,
		"transactions/client-session-transaction-states.dot": "digraph {\n    initial -> none\n    none -> starting [label=\"start\"]\n    none -> error [label=\"commit/abort\"]\n}",
		"wireversion-featurelist/wireversion-featurelist.md": "| Server version | Wire version | Feature List |\n| --- | --- | --- |\n| 2.6 | 1 | a |\n| 2.6 | 2 | b |\n| 3.0 | 3 | c |",
		"message/OP_MSG.md":            "The currently defined flags are:\n| Bit | Name | Request | Response | Description |\n| --- | --- | --- | --- | --- |\n| 1 | moreToCome | x | x | More |\n| -16 | exhaustAllowed | x | | Many |\n\nMongoDB only allows certain command arguments\n| Command Name | Command Argument |\n| --- | --- |\n| insert | documents |",
		"compression/OP_COMPRESSED.md": "Integer value from `-1` - `9`.\n| Level | Description |\n| --- | --- |\n| 0 | none |\n\nEach compressor is assigned a predefined compressor ID.\n| compressorId | Handshake Value | Description |\n| --- | --- | --- |\n| 1 | snappy | a |\n| 4-255 | reserved | b |\n\nMessages using the following commands MUST NOT be compressed:\n\n- `hello`\n- legacy hello (elsewhere)\n\n## End",
	}
}

func TestCoreReaders(t *testing.T) {
	documents := openShelf(coreDocuments())
	for _, c := range []struct {
		name string
		read reader
		want string
	}{
		{"types", readServerTypes, `server/types.yaml servers Mongos: text=Mongos
server/types.yaml servers Unknown: text=Unknown
server/types.yaml topologies Single: text=Single readable=available writable=always
server/types.yaml topologies Sharded: text=Sharded readable=preference writable=always
server/types.yaml topologies Unknown: text=Unknown readable=never writable=never
server/types.yaml initial true false: directConnection=true replicaSet=false topology=Single
server/types.yaml initial false true: directConnection=false replicaSet=true topology=TopologyUnknown
`},
		{"transitions", readTransitions, "server/transitions.yaml rows ServerUnknown: server=ServerUnknown TopologyUnknown=[] Sharded=[Remove] ReplicaSetNoPrimary=[Remove, CheckIfHasPrimary] ReplicaSetWithPrimary=[SetSharded, Remove]\n"},
		{"descriptions", readDescriptions, `server/description.yaml topology type: field=type
server/description.yaml topology stale: field=stale
server/description.yaml server minWireVersion: field=minWireVersion equal=true
server/description.yaml server maxWireVersion: field=maxWireVersion equal=true
server/description.yaml server address: field=address equal=false
`},
		{"stale primaries", readStale, "server/messages.yaml rows StalePrimary: name=StalePrimary text=older {stale}\n"},
		{"transaction states", readTransactionStates, `transactions/states.yaml machines : initial=None
transactions/states.yaml edges None [Start]: from=None inputs=[Start] to=Starting
transactions/states.yaml edges None [Commit, Abort]: from=None inputs=[Commit, Abort] to=error
`},
		{"wire versions", readWireVersions, "wire/versions.yaml rows 2.6: server=2.6 wire=2\nwire/versions.yaml rows 3.0: server=3.0 wire=3\n"},
		{"wire protocol", readWire, `wire/compression.yaml compressors snappy: id=1 text=snappy
wire/compression.yaml levels 0: value=0
wire/compression.yaml uncompressible hello: command=hello
wire/protocol.yaml flags MoreToCome: name=MoreToCome bit=1 request=true response=true
wire/protocol.yaml flags ExhaustAllowed: name=ExhaustAllowed bit=-16 request=true response=false
wire/protocol.yaml sequences insert: command=insert arguments=[documents]
`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := c.read(documents)
			if err != nil {
				t.Fatal(err)
			}
			if spellTables(got) != c.want {
				t.Errorf("got\n%swant\n%s", spellTables(got), c.want)
			}
		})
	}
}

func TestCoreReadersRefuseWhatTheyDoNotKnow(t *testing.T) {
	for _, c := range []struct {
		name, path, old, text string
		read                  reader
		line                  int
	}{
		{"an action", sdamDoc, "Set topology type to Sharded then", "Dance then", readTransitions, 39},
		{"a server type", sdamDoc, "ServerType Unknown", "Kind Unknown", readTransitions, 39},
		{"a bullet", sdamDoc, "- (=) `minWireVersion`", "- range", readDescriptions, 18},
		{"an initial type", sdamDoc, "| yes ", "| maybe ", readServerTypes, 27},
		{"a rule", eventsDoc, "Called with", "Perhaps with", readServerTypes, 8},
		{"a state", "transactions/client-session-transaction-states.dot", "-> starting", "-> waiting", readTransactionStates, 3},
		{"an input", "transactions/client-session-transaction-states.dot", "commit/abort", "commit/leave", readTransactionStates, 4},
		{"an edge", "transactions/client-session-transaction-states.dot", "none -> starting [label", "none -> starting [color", readTransactionStates, 3},
		{"a release", "wireversion-featurelist/wireversion-featurelist.md", "| 3.0", "| three", readWireVersions, 5},
		{"a command", "compression/OP_COMPRESSED.md", "- `hello`", "- hello and more", readWire, 14},
		{"a circumstance", sdamDoc, "RSPrimary with a stale", "Primary with a stale", readStale, 33},
	} {
		t.Run(c.name, func(t *testing.T) {
			documents := coreDocuments()
			if !strings.Contains(documents[c.path], c.old) {
				t.Fatalf("%s does not say %q", c.path, c.old)
			}
			documents[c.path] = strings.Replace(documents[c.path], c.old, c.text, 1)
			_, err := runReader(c.read, documents)
			at, ok := errors.AsType[errorAt](err)
			if !ok || at.path != c.path || at.line != c.line {
				t.Errorf("got %v, want %s:%d", err, c.path, c.line)
			}
		})
	}
}
