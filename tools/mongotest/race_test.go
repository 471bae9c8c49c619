//go:build race

package mongotest_test

// raceEnabled tells that the race detector, which makes everything slow, is part of this test.
const raceEnabled = true
