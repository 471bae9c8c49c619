//go:build !unix && !windows

package mongotest_test

import "time"

var began = time.Now()

// processorTime returns the wall-clock time that has passed, for systems where the processor time is unknown.
func processorTime() time.Duration { return time.Since(began) }
