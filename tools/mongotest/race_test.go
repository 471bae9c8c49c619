//go:build race

package mongotest_test

// raceEnabled reports that the test runs under the race detector, which makes everything slow.
const raceEnabled = true
