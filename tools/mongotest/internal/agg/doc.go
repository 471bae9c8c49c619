// Package agg compiles and runs aggregation pipelines.
//
// A pipeline is a chain of sources: each stage asks the one before it for documents. What a stage needs besides documents
// (other collections, lists of sessions) comes through Options.Access, so that the package knows neither commands nor
// storage. $out and $merge are compiled into a description that the caller carries out. All stages are compiled before their
// places in the pipeline are checked, as the server does.
//
// Left out, and refused as unrecognized: the stages in absent (search and others), the granularity of $bucketAuto, and the
// accumulators that take JavaScript. No stage has a limit of memory.
package agg
