//go:build !unix

package mongotest_test

import "time"

var began = time.Now()

// processorTime is the time that has passed, where that of the processors is not known.
func processorTime() time.Duration { return time.Since(began) }
