package generator

import (
	"github.com/specdrivers/onion/gen/emit"
	"github.com/specdrivers/onion/gen/load"
	"github.com/specdrivers/onion/gen/model"
	"github.com/specdrivers/onion/gen/suite"
)

// entry is one table, or a group of tables that are emitted together, under a name for -only.
type entry struct {
	name string
	run  func(*load.Tables) []emit.File
}

// entries lists everything that gen writes: one line each.
func entries() []entry {
	return []entry{
		table("packages", model.NewPackages, emit.Packages),
		table("bsontype", model.NewBSONTypes, emit.BSONTypes),
		table("extjson", model.NewExtJSON, emit.ExtJSON),
		table("bson-values", model.NewValues("bson/values.yaml"), emit.Values),
		table("decimals", model.NewValues("bson/decimal.yaml"), emit.Values),
		table("bson-layouts", model.NewLayouts("bson/layouts.yaml"), emit.Layouts),
		table("errors", model.NewErrors, emit.Errors),
		table("wire", model.NewWire, emit.Wire),
		table("wire-layouts", model.NewLayouts("wire/layouts.yaml"), emit.Layouts),
		table("wire-values", model.NewValues("wire/values.yaml"), emit.Values),
		table("description", model.NewDescription, emit.Description),
		table("sdam", model.NewSDAM, emit.SDAM),
		table("cmap", model.NewPoolMachines, emit.Machines),
		table("txn", model.NewTransactionMachine, emit.Machines),
		table("session-values", model.NewValues("transactions/values.yaml"), emit.Values),
		table("selection", model.NewSelection, emit.Selection),
		table("selection-values", model.NewValues("selection/values.yaml"), emit.Values),
		table("retry-values", model.NewValues("retry/values.yaml"), emit.Values),
		table("operation", model.NewDecisionGroup("operation"), emit.DecisionGroup),
		table("timeout", model.NewDecisionGroup("timeout"), emit.DecisionGroup),
		table("changestream", model.NewDecisionGroup("changestream"), emit.DecisionGroup),
		table("withtransaction", model.NewDecisionGroup("withtransaction"), emit.DecisionGroup),
		table("changestream-values", model.NewValues("changestream/values.yaml"), emit.Values),
		table("pipelines", model.NewValues("options/pipelines.yaml"), emit.Values),
		table("changestream-messages", model.NewMessages("changestream/messages.yaml", "core/changestream"), emit.Messages),
		table("option-messages", model.NewMessages("options/messages.yaml", "core/command"), emit.Messages),
		table("retry-messages", model.NewMessages("retry/messages.yaml", "core/retry"), emit.Messages),
		table("events", model.NewEvents, emit.Events),
		table("logs", model.NewLogs, emit.Logs),
		table("sensitive", model.NewSensitiveCommands, emit.SensitiveCommands),
		table("options", model.NewTypes, emit.Types),
		table("types", model.NewPackageTypes, emit.Types),
		table("commands", model.NewCommands, emit.Commands),
		table("client", model.NewClient, emit.Client),
		table("uri", model.NewURI, emit.URI),
		table("uri-values", model.NewValues("options/values.yaml"), emit.Values),
		table("auth", model.NewAuth, emit.Auth),
		table("auth-values", model.NewValues("auth/values.yaml"), emit.Values),
		table("trace", model.NewTrace, emit.Trace),
		table("trace-values", model.NewValues("trace/values.yaml"), emit.Values),
		{name: "benchmarks", run: checkBenchmarks},
		table("stableapi", model.NewStableAPI, emit.StableAPI),
		table("gridfs-values", model.NewValues("gridfs/values.yaml"), emit.Values),
		table("encryption", model.NewEncryption, emit.Encryption),
		table("encryption-documents", model.NewValues("encryption/documents.yaml"), emit.Values),
		table("analysis", model.NewAnalysis, emit.Analysis),
		table("analysis-operators", model.NewAnalysisOperators, emit.Values),
		table("encryption-messages", model.NewMessages("encryption/messages.yaml", "core/analysis"), emit.Messages),
		table("kms", model.NewKMS, emit.KMS),
		table("kms-values", model.NewValues("encryption/values.yaml"), emit.Values),
		table("kmip", model.NewValues("encryption/kmip.yaml"), emit.Values),
		table("docs", model.NewReference(model.DecisionGroups...), emit.Reference),
		table("evidence", model.NewEvidence, emit.Evidence),
		{name: "cases", run: suite.CompileOwn},
	}
}

// checkBenchmarks only checks the table: tools/peerbench reads it, and no driver needs it.
func checkBenchmarks(t *load.Tables) []emit.File {
	model.NewBenchmarks(t)
	return nil
}

// table joins the model and the emitter of a table. Nothing is emitted from a model that was built with problems.
func table[M any](name string, build func(*load.Tables) M, print func(M) []emit.File) entry {
	return entry{name: name, run: func(t *load.Tables) []emit.File {
		before := len(t.Problems())
		m := build(t)
		if len(t.Problems()) > before {
			return nil
		}
		return print(m)
	}}
}
