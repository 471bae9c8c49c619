// Package project applies the projections of find and findAndModify, and of the pipeline stages $project and $addFields.
package project
