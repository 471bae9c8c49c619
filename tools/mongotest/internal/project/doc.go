// Package project applies the projections of find and findAndModify, and of the pipeline stages $project and
// $addFields, in the language of the server version in Options.Scope. $meta reads the metadata in that scope.
package project
