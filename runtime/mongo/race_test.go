//go:build race

package mongo_test

const raceEnabled = true
