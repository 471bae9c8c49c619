// Package agg compiles and runs aggregation pipelines.
//
// A pipeline is a chain of sources. Each stage asks the previous one for documents. Anything else that a stage needs,
// such as other collections or lists of sessions, comes through Options.Access, so the package knows neither commands
// nor storage. $out and $merge compile into a description that the caller carries out. As on the server, all stages are
// compiled before their positions in the pipeline are checked.
//
// Left out are the stages in absent (search and others), which are refused as unrecognized. No stage has a memory
// limit.
package agg
