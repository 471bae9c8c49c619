// Package use depends on what is generated.
package use

import "example.com/mini/generated/flag"

// Both says what the switches are.
func Both() (watched, alone bool) { return flag.Watched(), flag.Alone() }
