package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/specdrivers/onion/gen/upstream"
)

const (
	uriDoc        = "uri-options/uri-options.md"
	traceDoc      = "open-telemetry/open-telemetry.md"
	flagDoc       = "message/OP_MSG.md"
	packDoc       = "compression/OP_COMPRESSED.md"
	wireDoc       = "wireversion-featurelist/wireversion-featurelist.md"
	apiDoc        = "versioned-api/versioned-api.md"
	tallyDoc      = "benchmarking/benchmarking.md"
	convenientDoc = "transactions-convenient-api/transactions-convenient-api.md"
	drawing       = "transactions/client-session-transaction-states.dot"
)

// plantedEdit is a change of upstream's documents. old is the one place that matches, or empty for a new file. report holds
// what specsync says, without the lines of tables. fails means that it exits with status 2, and report holds what it
// says instead. files are the Go files that differ after the refresh.
type plantedEdit struct {
	name, path, old, text string
	report                []string
	fails                 string
	files                 []string
	same                  bool // upstream says the same in another form
}

// edits change facts, one edit for each kind of table and declaration.
var edits = []plantedEdit{
	{name: "an option of the connection string", path: uriDoc, old: `\n\| appname `, text: "\n| doors | any string | no doors | no | How many. |\n| appname ",
		report: []string{"added options/uri.yaml doors; write the columns that are ours"}},
	{name: "the values of an option", path: uriDoc, old: `(\| proxyHost +\| )any string `, text: "${1}any string of 9 letters ",
		report: []string{"changed options/uri.yaml proxyHost values: any string -> any string of 9 letters"}},
	{name: "a default", path: uriDoc, old: `(\| connectTimeoutMS .*?\| )10,000 ms`, text: "${1}20,000 ms",
		report: []string{"changed options/uri.yaml connectTimeoutMS default: 10,000 ms -> 20,000 ms"}},
	{name: "a default in unknown words", path: uriDoc, old: `(\| connectTimeoutMS .*?\| )10,000 ms`, text: "${1}ten seconds",
		fails: `uri-options/uri-options.md:\d+: "ten seconds .*" is not a known default`},
	{name: "who needs an option", path: uriDoc, old: `(\| minPoolSize .*?)required for drivers with connection pools`, text: "${1}no",
		report: []string{"changed options/uri.yaml minPoolSize required: multi-threaded or pooled -> (none)"}},
	{name: "who needs an option in unknown words", path: uriDoc, old: `(\| minPoolSize .*?)required for drivers with connection pools`, text: "${1}maybe",
		fails: `uri-options/uri-options.md:\d+: "maybe" does not say in a known way who needs the option`},
	{name: "a default of the pool", path: poolDoc, old: `Defaults to 100\.`, text: "Defaults to 200.",
		report: []string{"changed options/client.yaml [maxPoolSize] default: 100 -> 200"},
		files:  []string{"generated/core/uritable/validate.go", "generated/options/client.go"}},
	{name: "a cell of the transitions", path: sdamDoc, old: `\| ServerType RSGhost     \| no-op\[\^2\] `, text: "| ServerType RSGhost | [remove](#remove) ",
		report: []string{"changed server/transitions.yaml RSGhost TopologyUnknown: [] -> [Remove]"},
		files:  []string{"generated/core/sdamtable/transition.go"}},
	{name: "an unknown action", path: sdamDoc, old: `\| ServerType RSGhost     \| no-op\[\^2\] `, text: "| ServerType RSGhost | explode ",
		fails: `server-discovery-and-monitoring\.md:\d+: "explode" is not an action`},
	{name: "a symptom", path: sdamDoc, old: `"secondary: true", "setName"`, text: `"follower: true", "setName"`,
		report: []string{"changed server/hello.yaml RSSecondary mentions: [secondary: true, setName] -> [follower: true, setName]"}},
	{name: "a symptom in unknown words", path: sdamDoc, old: `("secondary: true", "setName" in response)\.`, text: "${1} on weekdays.",
		fails: `server-discovery-and-monitoring\.md:\d+: "on" is not a known word of a symptom`},
	{name: "a code", path: sdamDoc, old: `\| PrimarySteppedDown +\| 189 `, text: "| PrimarySteppedDown | 190 ",
		report: []string{"added errors/codes.yaml 190; write the columns that are ours", "changed errors/codes.yaml 189: classes loses Recovering"}},
	{name: "a code that leaves a class", path: "retryable-reads/retryable-reads.md", old: `\n\| HostNotFound [^\n]*`,
		report: []string{"changed errors/codes.yaml 7: classes loses RetryableRead"}},
	{name: "a code that joins a class", path: sdamDoc, old: `(\| ShutdownInProgress    \| 91         \|\n)`, text: "${1}| HostUnreachable | 6 |\n",
		report: []string{"changed errors/codes.yaml 6: classes gains Shutdown"}},
	{name: "a stale primary", path: sdamDoc, old: "`'primary marked stale due to discovery of newer primary'`", text: "`'a newer primary'`",
		report: []string{"changed server/messages.yaml NewerPrimary text: primary marked stale due to discovery of newer primary -> a newer primary"},
		files:  []string{"generated/core/sdamtable/message.go"}},
	{name: "a mark of equality", path: sdamDoc, old: "- \\(=\\) `setVersion`", text: "- `setVersion`",
		report: []string{"changed server/description.yaml setVersion equal: true -> false"},
		files:  []string{"generated/description/description.go"}},
	{name: "a field of an event", path: commandDoc, old: `interface CommandSucceededEvent \{`, text: "interface CommandSucceededEvent {\n  colour: String;",
		report: []string{"added events/events.yaml CommandSucceededEvent.colour; write the columns that are ours"}},
	{name: "an event in another form", path: poolDoc, old: `interface PoolReadyEvent \{`, text: "interface PoolPaintedEvent extends X {\n}\n\ninterface PoolReadyEvent {",
		fails: `connection-monitoring-and-pooling\.md:\d+: no table mirrors PoolPaintedEvent`},
	{name: "the type of a key", path: poolDoc, old: `\| maxPoolSize +\| Int `, text: "| maxPoolSize | Double ",
		report: []string{"changed logs/messages.yaml maxPoolSize type: Int -> Double"}},
	{name: "a message", path: sdamLogDoc, old: `"Starting server monitoring"`, text: `"Begin server monitoring"`,
		report: []string{"added logs/messages.yaml Begin server monitoring; write the columns that are ours", "removed logs/messages.yaml Starting server monitoring"}},
	{name: "a sensitive command", path: commandDoc, old: "\\| `saslStart` ", text: "| `saslSing` |\n| `saslStart` ",
		report: []string{"added logs/sensitive.yaml saslSing; write the columns that are ours"}},
	{name: "an attribute's level", path: traceDoc, old: "(\\| `db.query.summary` .*?)\\| Required ", text: "${1}| Optional ",
		fails: `open-telemetry\.md:\d+: "Optional" is not a requirement level`},
	{name: "a traced operation", path: traceDoc, old: "\\| `distinct` ", text: "| `distinguish` ",
		report: []string{"added trace/operations.yaml distinguish; write the columns that are ours", "removed trace/operations.yaml distinct"}},
	{name: "a compressor", path: packDoc, old: `\| 3 +\| zstd `, text: "| 4 | zstd ",
		report: []string{"changed wire/compression.yaml zstd id: 3 -> 4"}, files: []string{"generated/core/wire/compression.go"}},
	{name: "a command that is compressed", path: packDoc, old: "- `getnonce`\n",
		report: []string{"removed wire/compression.yaml getnonce"}, files: []string{"generated/core/wire/compression.go"}},
	{name: "a flag", path: flagDoc, old: `\| 1  +\| moreToCome`, text: "| 2 | moreToCome",
		report: []string{"changed wire/protocol.yaml MoreToCome bit: 1 -> 2"}, files: []string{"generated/core/wire/protocol.go"}},
	{name: "a wire version that a row of ours foresaw", path: wireDoc, old: `(\n\| 8.0 [^\n]*)`, text: "${1}\n| 8.1 | 26 | x |",
		report: []string{"error wire/versions.yaml 8.1: the override of row no longer differs from upstream"}},
	{name: "an option's type", path: crudDoc, old: `allowPartialResults: Optional<Boolean>;`, text: "allowPartialResults: Optional<Int32>;",
		report: []string{"changed commands/find.yaml allowPartialResults type: Optional<Boolean> -> Optional<Int32>"}},
	{name: "an option's first version", path: streamDoc, old: `@since 6\.1\.0`, text: "@since 6.2.0",
		report: []string{"changed options/types/changestream.yaml disambiguatedPaths since: 6.1.0 -> 6.2.0"}},
	{name: "an option that is deprecated no more", path: crudDoc, old: `@deprecated 4\.4`, text: "4.4",
		report: []string{"changed commands/find.yaml oplogReplay deprecated: 4.4 -> (none)"}, files: []string{"generated/options/find.go"}},
	{name: "a tag that is not understood", path: indexDoc, old: `@deprecated 4\.2`, text: "@deprecated soon",
		fails: `index-management\.md:\d+: ".*@deprecated soon" names no version`},
	{name: "a member that is not understood", path: crudDoc, old: `class FindOptions \{`, text: "class FindOptions {\n  [key of string] => any",
		fails: `crud\.md:\d+: "\[key of string\] => any" is not a member`},
	{name: "a declaration where there was none", path: loggingDoc, old: `## Motivation for Change`, text: "```typescript\ninterface LogOptions {\n}\n```\n\n## Motivation for Change",
		fails: `logging\.md:\d+: no table mirrors LogOptions`},
	{name: "a type, and an option that is new", path: indexDoc, old: `  commitQuorum: Optional<Int32 \| String>;`,
		text:   "  commitQuorum: Optional<String>;\n\n  /**\n   * @since MongoDB 9.0\n   */\n  quick: Optional<Boolean>;",
		report: []string{"changed commands/createIndexes.yaml commitQuorum type: Optional<Int32 | String> -> Optional<String>", "added commands/createIndexes.yaml quick; write the columns that are ours"}},
	{name: "an option of a stream that is renamed", path: streamDoc, old: `  showExpandedEvents: Optional<Boolean>`, text: "  showAllEvents: Optional<Boolean>",
		report: []string{"added options/types/changestream.yaml ChangeStream.showAllEvents; write the columns that are ours", "removed options/types/changestream.yaml ChangeStream.showExpandedEvents"}},
	{name: "an option that one method gains", path: crudDoc, old: `'batchSize' \| 'cursorType' \| 'limit' \|`, text: "'batchSize' | 'limit' |",
		report: []string{"changed commands/find.yaml cursorType: of gains FindOne"}},
	{name: "a declaration that nothing mirrors", path: crudDoc, old: `class DistinctOptions \{`, text: "class DistinctlyOptions {",
		fails: `(?m)^crud/crud\.md:\d+: no table mirrors DistinctlyOptions$`},
	{name: "a declaration in Java's order", path: snapshotDoc, old: `Optional<bool> snapshot;`, text: "Optional<Int32> snapshot;",
		report: []string{"changed options/types/sessions.yaml snapshot type: Optional<bool> -> Optional<Int32>"}},
	{name: "a member of an enumeration", path: concernDoc, old: ` linearizable,`, text: " linear,",
		report: []string{"added options/types/concerns.yaml ReadConcernLevel.linear; write the columns that are ours", "removed options/types/concerns.yaml ReadConcernLevel.linearizable"}},
	{name: "an edge", path: drawing, old: `in_progress -> committed`, text: "in_progress -> aborted",
		report: []string{"changed transactions/states.yaml InProgress [Commit] to: Committed -> Aborted"}, files: []string{"generated/core/txn/state.go"}},
	{name: "a variable", path: handshakeDoc, old: "`FUNCTION_NAME`", text: "`FUNKTION_NAME`",
		report: []string{"changed auth/faas.yaml gcp.func variables: [K_SERVICE, FUNCTION_NAME] -> [K_SERVICE, FUNKTION_NAME]"}},
	{name: "a region", path: authDoc, old: `(\| sts\.us-west-2\.amazonaws\.com +\| )us-west-2`, text: "${1}us-west-9",
		report: []string{"changed auth/regions.yaml sts.us-west-2.amazonaws.com region: us-west-2 -> us-west-9"}},
	{name: "a field of the stable API", path: apiDoc, old: "`apiStrict`", text: "`apiStern`",
		report: []string{"changed stableapi/fields.yaml strict command: apiStrict -> apiStern"}, files: []string{"generated/core/stableapi/append.go"}},
	{name: "a benchmark", path: tallyDoc, old: `10,000 operations`, text: "20,000 operations",
		report: []string{"changed benchmarks.yaml Flat BSON Encoding operations: 10000 -> 20000"}},
	{name: "a value of the test format", path: schemaDoc, old: `"single"`, text: `"solo"`,
		report: []string{"error unified/format.yaml topology: the schema has [solo, replicaset, sharded, sharded-replicaset, load-balanced]"}},
	{name: "a number in a sentence", path: handshakeDoc, old: `MUST NOT exceed 512 bytes`, text: "MUST NOT exceed 1,024 bytes",
		report: []string{"changed auth/values.yaml MaxMetadataSize value: 512 -> 1024"}, files: []string{"generated/core/authtable/constants.go"}},
	{name: "a span of time in words", path: authDoc, old: `more than five minutes away`, text: "more than six minutes away",
		report: []string{"changed auth/values.yaml AWSExpiryMargin duration: 5m -> 6m"}},
	{name: "a span of time in milliseconds", path: "client-backpressure/client-backpressure.md", old: "`BASE_BACKOFF` is constant 100ms", text: "`BASE_BACKOFF` is constant 200ms",
		report: []string{"changed retry/values.yaml BaseBackoff duration: 100ms -> 200ms"}},
	{name: "a factor", path: "server-selection/server-selection.md", old: `alpha = 0\.2`, text: "alpha = 0.25",
		report: []string{"changed selection/values.yaml RTTAlpha value: 0.2 -> 0.25"}},
	{name: "the longest retry of a transaction", path: convenientDoc, old: `enforce a 120-second timeout`, text: "enforce a 240-second timeout",
		report: []string{"changed transactions/values.yaml WithTransactionTimeout duration: 120s -> 240s"}},
	{name: "an opcode", path: flagDoc, old: `opCode = 2013;`, text: "opCode = 2014;",
		report: []string{"changed wire/protocol.yaml OpMsg code: 2013 -> 2014"}},
	{name: "a sentence that no longer names its number", path: sessionDoc, old: `to end 10,000 sessions at a time`, text: "to end many sessions at a time",
		fails: `facts\.yaml:\d+: sessions/driver-sessions\.md:\d+: the section "endSessions" no longer says`},
	{name: "a contradiction", path: authDoc, old: `minimum iteration count of 4096`, text: "minimum iteration count of 5000",
		report: []string{"contradiction auth/values.yaml MinIterations value: auth/auth.md, \"SCRAM-SHA-1\" says \"5000\", auth/auth.md, \"SCRAM-SHA-256\" says \"4096\"; settle it with an override"}},
	{name: "a text that a section has to hold", path: authDoc, old: `(?s)#### Environment variables.*?AWS_ACCESS_KEY_ID`, text: "#### Environment variables\n\n`AWS_ACCESS_ID",
		fails: `values\.yaml:\d+: AWSEnvAccessKeyID: .* does not hold "AWS_ACCESS_KEY_ID"`},
	{name: "a fourth column in one table of keys", path: poolDoc, old: `(?s)\| Key +\| Suggested Type +\| Value +\|\n\| -+ \| -+ \| -+ \|\n\| message +\| String +\| "Connection pool ready" +\|`,
		text:  "| Key | Suggested Type | Value | Since |\n| --- | --- | --- | --- |\n| message | String | \"Connection pool ready\" | 1 |",
		fails: `connection-monitoring-and-pooling\.md:\d+: no reader reads the table with the columns Key\|Suggested Type\|Value\|Since`},
	{name: "another header", path: commandDoc, old: `(?s)\| Key +\| Suggested Type +\| Value +\|(\n\| -+ \| -+ \| -+ \|\n\| message +\| String +\| "Command succeeded")`,
		text:  "| Key | Type | Value |${1}",
		fails: `command-logging-and-monitoring\.md:\d+: no reader reads the table with the columns Key\|Type\|Value`},
	{name: "a bullet of another form", path: sdamDoc, old: "- \\(=\\) `setVersion`", text: "* (=) `setVersion`", same: true},
	{name: "a key of a message without keys of its own", path: sdamLogDoc, old: `(?s)(\| message +\| String +\| "Stopped topology monitoring" +\|\n)`, text: "${1}| colour | String | The colour. |\n",
		report: []string{"added logs/messages.yaml Stopped topology monitoring.colour; write the columns that are ours"}},
	{name: "a type that none of ours fits", path: crudDoc, old: `batchSize: Optional<Int32>;`, text: "batchSize: Optional<Int64>;",
		report: []string{"changed commands/aggregate.yaml batchSize type: Optional<Int32> -> Optional<Int64>"}},
	{name: "a section that rows refer to", path: sdamDoc, old: `#### updateUnknownWithStandalone`, text: "#### updateUnknownFromStandalone",
		report: []string{"error server/transitions.yaml: server-discovery-and-monitoring/server-discovery-and-monitoring.md has no section \"updateUnknownWithStandalone\""}},
}

var atLine = regexp.MustCompile(`:\d+\b`)

// TestEveryKindOfEdit changes a copy of upstream. specsync must report exactly the changes, or the places that it does not
// understand. Exactly the Go files that hold the facts must then differ from what gen yields. Edits of different documents
// are made at once; ONION_SIZES=full makes each of them alone.
func TestEveryKindOfEdit(t *testing.T) {
	from := upstream.Path(t)
	module, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	all := slices.Concat(edits, formEdits, factEdits)
	t.Run("all that add rows, at once", func(t *testing.T) {
		var growers []plantedEdit
		grown := map[string]bool{}
		for _, e := range all {
			if file := growingTable(e.report); file != "" && !grown[file] {
				grown[file] = true
				growers = append(growers, e)
			}
		}
		plantTogether(t, growers, from, module)
	})
	f := newField(t, from, module)
	for _, group := range groupEdits(all, os.Getenv("ONION_SIZES") == "full") {
		t.Run(group[0].name, func(t *testing.T) { f.try(t, group) })
	}
}

// groupEdits groups edits that do not interfere: they change different documents and Go files, and expect the same kind of run. single
// gives each edit a group of its own.
func groupEdits(all []plantedEdit, single bool) (groups [][]plantedEdit) {
	for _, e := range all {
		at := slices.IndexFunc(groups, func(group []plantedEdit) bool {
			return !single && (group[0].fails == "") == (e.fails == "") && (group[0].files == nil) == (e.files == nil) &&
				!slices.ContainsFunc(group, e.interferes)
		})
		if at < 0 {
			groups = append(groups, []plantedEdit{e})
		} else {
			groups[at] = append(groups[at], e)
		}
	}
	return groups
}

// interferes reports whether two edits change the same document or the same Go file.
func (e plantedEdit) interferes(other plantedEdit) bool {
	return e.path == other.path || slices.ContainsFunc(e.files, func(name string) bool { return slices.Contains(other.files, name) })
}

// field is a copy of upstream and of the tables in which edits are planted.
type field struct {
	upstream, tables string
	library          *library
}

func newField(t *testing.T, from, module string) field {
	f := field{t.TempDir(), t.TempDir(), shelf}
	copyTree(t, filepath.Join(from, "source"), filepath.Join(f.upstream, "source"))
	copyTables(t, module, f.tables)
	generate(t, f.tables)
	return f
}

// try plants a group of edits at once. If something is wrong, it plants each edit alone, to name the one that causes it.
func (f field) try(t *testing.T, group []plantedEdit) {
	problem := f.plant(t, group...)
	if problem == "" {
		return
	}
	for _, e := range group {
		if own := f.plant(t, e); own != "" {
			t.Errorf("%s: %s", e.name, own)
		}
	}
	if !t.Failed() {
		t.Errorf("each of the edits is reported correctly by itself, but not all at once: %s", problem)
	}
}

// plant makes edits, and returns what is wrong with the reports of specsync and gen.
func (f field) plant(t *testing.T, group ...plantedEdit) string {
	var report, files []string
	fails := false
	for _, e := range group {
		defer plant(t, filepath.Join(f.upstream, "source", filepath.FromSlash(e.path)), e.old, e.text)()
		report, files, fails = append(report, e.report...), append(files, e.files...), fails || e.fails != ""
	}
	root := f.tables
	if files != nil {
		root = copySketch(t, f.tables)
	}
	specs := filepath.Join(root, "specs")
	o := options{root: "../..", code: ours, library: f.library, from: f.upstream, specs: specs, check: files == nil, accepts: &acceptances{ask: func(string) bool { return true }}}
	var stdout, stderr bytes.Buffer
	exit := run(o, allReaders(f.upstream, specs, f.library), &stdout, &stderr)
	for _, e := range group {
		text := stdout.String()
		switch {
		case e.fails != "" && (exit != 2 || !regexp.MustCompile(e.fails).MatchString(stderr.String())):
			return fmt.Sprintf("exit %d, %s, want %s", exit, &stderr, e.fails)
		case e.same && len(group) == 1 && (exit != 0 || stdout.Len()+stderr.Len() > 0):
			return fmt.Sprintf("exit %d, %s%s", exit, &stdout, &stderr)
		case e.same && strings.Contains(text, " section "+e.path):
			return fmt.Sprintf("a section of %s is reported:\n%s", e.path, text)
		case e.fails == "" && !e.same && e.old != "" && !strings.Contains(text, " section "+e.path) && !strings.Contains(text, "changed file "+e.path):
			return fmt.Sprintf("no section of %s is reported:\n%s", e.path, text)
		}
	}
	if fails {
		return ""
	}
	if got := plainReport(stdout.String(), root); !sameLines(got, report) || stderr.Len() > 0 {
		return fmt.Sprintf("the report is %q%s, want %q", got, &stderr, report)
	}
	if files == nil {
		return ""
	}
	out, _ := gen(root, false, "")
	if got := differing(out); !sameLines(got, files) {
		return fmt.Sprintf("gen says %s, want %q", out, files)
	}
	return ""
}

// sameLines reports whether two lists hold the same lines, in whatever order.
func sameLines(a, b []string) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}

// growingTable returns the table that a report adds a row to, if any.
func growingTable(report []string) string {
	for _, line := range report {
		if rest, found := strings.CutPrefix(line, "added "); found && strings.HasSuffix(line, "; write the columns that are ours") {
			file, _, _ := strings.Cut(rest, " ")
			return file
		}
	}
	return ""
}

// plant makes an edit and returns the function that undoes it.
func plant(t *testing.T, name, old, text string) (undo func()) {
	t.Helper()
	if old == "" {
		write(t, name, text)
		return func() { _ = os.Remove(name) }
	}
	before := replaceOnce(t, name, old, text)
	return func() { _ = os.WriteFile(name, before, 0o644) }
}

// replaceOnce changes the one place in a file that matches, and returns the file as it was.
func replaceOnce(t *testing.T, name, old, text string) []byte {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	pattern := regexp.MustCompile(old)
	places := pattern.FindAllIndex(data, -1)
	if len(places) == 0 {
		t.Fatalf("%s has no %s", name, old)
	}
	at := places[0]
	changed := slices.Concat(data[:at[0]], pattern.ReplaceAll(data[at[0]:at[1]], []byte(text)), data[at[1]:])
	if err := os.WriteFile(name, changed, 0o644); err != nil {
		t.Fatal(err)
	}
	return data
}

// plainReport returns what a report says of rows, without lines and without the directory.
func plainReport(text, root string) []string {
	var out []string
	text, _, _ = strings.Cut(text, "to take out")
	text, _, _ = strings.Cut(text, "to read: ")
	text, _, _ = strings.Cut(text, "to look at: ")
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(atLine.ReplaceAllString(line, ""), "\n")
		if !aboutSections(line) {
			out = append(out, strings.Replace(strings.ReplaceAll(line, root+"/", ""), " specs/", " ", 1))
		}
	}
	return out
}

// aboutSections reports whether a line of a report is about the text of a document, about who cites it in Go or about
// evidence for it, and not about a row.
func aboutSections(line string) bool {
	for _, opening := range []string{"    ", "changed section ", "added section ", "removed section ", "moved section ", "removed tests ", "changed file ", "error runtime/", "error tools/",
		"evidence ", "changed specs/evidence", "error specs/evidence"} {
		if strings.HasPrefix(line, opening) {
			return true
		}
	}
	return false
}

// copySketch returns a module's tables beside its own generated code. The tables are links, because specsync renames what it
// has written, and so changes no file that is there.
func copySketch(t *testing.T, module string) string {
	t.Helper()
	root := t.TempDir()
	placeTables(t, module, root, os.Link)
	if err := os.Symlink(filepath.Join(module, "generated"), filepath.Join(root, "generated")); err != nil {
		t.Fatal(err)
	}
	return root
}

// differing lists the Go files that gen says are not what the tables yield.
func differing(out string) []string {
	var files []string
	for line := range strings.Lines(out) {
		if name, _, ok := strings.Cut(line, ": differs from"); ok && strings.HasPrefix(name, "generated/") {
			name, _, _ = strings.Cut(name, ":")
			files = append(files, name)
		}
	}
	return files
}
