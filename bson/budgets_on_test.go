//go:build !race && !purego

package bson

const budgetsHold = true
