// Package agg compiles and runs aggregation pipelines.
//
// A pipeline is a chain of sources: each stage asks the one before it for documents. What a stage needs besides documents
// (other collections, lists of sessions) comes through Options.Access, so that the package knows neither commands nor
// storage. $out and $merge are compiled into a description that the caller carries out. $changeStream, $geoNear,
// $graphLookup, $setWindowFields, $fill, $densify and $redact are left out and fail as unrecognized stages, or with the
// server's error for a missing feature.
package agg
