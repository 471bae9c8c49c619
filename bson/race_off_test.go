//go:build !race

package bson

const raceEnabled = false
