package model

import "github.com/specdrivers/onion/gen/load"

// mistake is an edit that breaks a table, and the problem that the model must report.
type mistake struct {
	name, table, from, to string
	build                 func(*load.Tables)
	want                  string // starts with "elsewhere: " if the reported line is not the changed one
}

// discardResult adapts a constructor of the model to the field build: the tests need only its problems.
func discardResult[T any](build func(*load.Tables) T) func(*load.Tables) {
	return func(t *load.Tables) { build(t) }
}

var (
	errors    = discardResult(NewErrors)
	analysis  = discardResult(NewAnalysis)
	operators = discardResult(NewAnalysisOperators)
	events    = discardResult(NewEvents)
	logs      = discardResult(NewLogs)
	auth      = discardResult(NewAuth)
	sdam      = discardResult(NewSDAM)
	options   = discardResult(NewTypes)
	packaged  = discardResult(NewPackageTypes)
	wire      = discardResult(NewWire)
	client    = discardResult(NewClient)
	uri       = discardResult(NewURI)
	commands  = discardResult(NewCommands)
)

// mistakesOfRooms are those that the emitters' tests do not make.
var mistakesOfRooms = []mistake{
	{"a server type that no hello yields", "server/types.yaml", "  - {name: RSGhost,",
		`  - {name: RSSpirit, text: RSSpirit, dataBearing: false, available: true, spec: 'SDAM, "ServerType"', doc: "RSSpirit is new."}` +
			"\n  - {name: RSGhost,", sdam, "RSSpirit: no row of server/hello.yaml finds it, and no symptom there says that none does"},
	{"an option of a struct that lacks it", "commands/aggregate.yaml", "field: BypassDocumentValidation, go: \"*bool\", of: [Aggregate]",
		"field: BypassDocumentValidation, go: \"*bool\", of: [ChangeStream]", commands,
		"options.ChangeStream has no field BypassDocumentValidation: declare it below specs/options/types"},
	{"rules for a command that is sent as it is", "encryption/commands.yaml", `doc: "Reads on; its reply is decrypted."`,
		`doc: "Reads on.", arguments: {collection: pass}`, analysis, "getMore is sent as it is: it needs no rules for arguments"},
	{"a default of an unknown argument", "encryption/commands.yaml", "defaults: {verbosity: ", "defaults: {loudness: ", analysis, "explain has no argument loudness"},
	{"an accumulator that drops fields", "encryption/expressions.yaml", "{name: $addToSet, csfle", "{name: $addToSet, drops: true, csfle",
		analysis, "$addToSet is an accumulator, and only stages drop fields"},
	{"a bound of a range that is none", "encryption/match.yaml", "{name: $gt, place: path, plain: pass, prefix: scalar, range: bound",
		"{name: $gt, place: path, plain: pass, prefix: scalar, range: closed", operators, "$gt: the operators that bound a range are those of encryption/algorithms.yaml"},
	{"an order that is none", "encryption/expressions.yaml", "{name: $lte, rule: order", "{name: $lte, rule: equal", operators,
		"$lte: the operators of rule order are those of encryption/algorithms.yaml"},
	{"a bound without a row", "encryption/algorithms.yaml", "operators:\n", `operators:
  - {name: OperatorNear, number: 9, text: $near, doc: "OperatorNear is none."}
`, operators, "$near bounds a range, and not both tables of the analysis have a row for it"},
	{"a field that no environment has", "auth/faas.yaml", "field: memory_mb\n        variable: AWS_LAMBDA_FUNCTION_MEMORY_SIZE\n        type: int32",
		"field: memory_mb\n        variable: AWS_LAMBDA_FUNCTION_MEMORY_SIZE\n        type: string", auth, "field memory_mb of type string does not exist"},
	{"an environment over none", "auth/faas.yaml", "over: aws.lambda", "over: aws.lamda", auth, "no environment is called aws.lamda"},
	{"a row that a refresh left to be written", "wire/versions.yaml", "2.6 has write commands.", load.Unwritten, wire, "write what this row is about"},
	{"a secret that its field is not", "options/uri.yaml", "field: Auth.AuthMechanism\n", "field: Auth.AuthMechanism\n    secret: true\n",
		uri, "authMechanism is secret, the field Auth.AuthMechanism is not"},
	{"a struct of an unknown monitor", "events/events.yaml", "name: PoolOptions\n    monitor: pool", "name: PoolOptions\n    monitor: pond",
		events, "struct PoolOptions: no monitor is called pond"},
	{"an absent key that is not optional", "logs/keys.yaml", "kind: objectid?\n    optional: true", "kind: objectid?\n    optional: false",
		logs, "key serviceId: kind objectid? can be absent, so the key is optional"},
	{"a message of an unknown component", "logs/messages.yaml", "go: CommandStarted\n    component: command", "go: CommandStarted\n    component: order",
		logs, "no component is called order"},
	{"segments that overlap", "logs/messages.yaml", `serverPort: ":{{serverPort}}"`, `serverPort: "{{serverHost}}:{{serverPort}} with service ID {{serviceId}}"`,
		logs, `elsewhere: segments of the template overlap at " with service ID {{serviceId}}"`},
	{"another key in a segment", "logs/messages.yaml", `serverPort: ":{{serverPort}}"`, `serverPort: "{{serverHost}}:{{serverPort}}"`,
		logs, "elsewhere: placeholder {{serverHost}} is in the segment of serverPort"},
	{"machines of two packages", "pool/states.yaml", "name: Connection\n    package: core/cmap", "name: Connection\n    package: core/txn",
		discardResult(NewPoolMachines), "Connection: the machines of a table share a package"},
	{"an initial topology that does not exist", "server/types.yaml", "replicaSet: false, topology: Single", "replicaSet: false, topology: Solo",
		sdam, "there is no topology type Solo"},
	{"a file without a package", "types/auth.yaml", "package: core/authtable\n", "", packaged, "the file names no package"},
	{"a way to merge that does not exist", "options/types/bulk.yaml", "merge: method", "merge: operator", options, "merge operator is not one of function, method"},
	{"an option that is left out and mapped", "options/types/gridfs.yaml", "without: {disableMD5:", "without: {bucketName: \"it is left out\", disableMD5:",
		options, "option bucketName is left out, yet mapped (Name)"},
	{"a number with a text", "types/auth.yaml", "{name: Optional, doc", "{name: Optional, text: optional, doc", packaged,
		"Optional needs a number or nothing in a base number, and a text in any other base"},
	{"a negative number of bytes", "options/uri.yaml", "maxBytes: 128", "maxBytes: -128", uri, "appname: maxBytes -128 is negative"},
	{"a property of a field that is not a map", "options/uri.yaml", "field: Auth.AuthMechanismProperties\n    property: SERVICE_NAME",
		"field: AppName\n    property: SERVICE_NAME", uri, "gssapiServiceName: a property is a text of a map, and options.Client.AppName is a *string"},
	{"texts of a prefix that no row has", "encryption/kmip.yaml", "name: StatusText, prefix: Status", "name: StatusText, prefix: State",
		discardResult(NewValues("encryption/kmip.yaml")), "no row has the prefix State"},
	{"a number without the text that a function returns", "encryption/kmip.yaml", "name: ReasonText, prefix: Reason", "name: ReasonText, prefix: Tag",
		discardResult(NewValues("encryption/kmip.yaml")), "ReasonText needs a number and a text for Tag"},
	{"a negative opcode", "wire/protocol.yaml", "name: OpReply, code: 1,", "name: OpReply, code: -1,", wire, "OpReply: the opcode -1 is negative"},
	{"an input that every state refuses", "transactions/states.yaml", `Abort is abortTransaction."}` + "\n    edges:\n", `Abort is abortTransaction."}
      - {name: Pause, text: pause, doc: "Pause is nothing."}
    edges:
      - {from: None, inputs: [Pause], to: error, errors: {Pause: "no"}}
      - {from: Starting, inputs: [Pause], to: error, errors: {Pause: "no"}}
      - {from: InProgress, inputs: [Pause], to: error, errors: {Pause: "no"}}
      - {from: Committed, inputs: [Pause], to: error, errors: {Pause: "no"}}
      - {from: Aborted, inputs: [Pause], to: error, errors: {Pause: "no"}}
`, discardResult(NewTransactionMachine), "Transaction: every state refuses Pause"},
	{"no minimum", "wire/versions.yaml", "wire: 8, minimum: true,", "wire: 8,", wire, "elsewhere: no row is the minimum"},
}
