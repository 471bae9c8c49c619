package use

import "testing"

func TestWatched(t *testing.T) {
	if watched, _ := Both(); !watched {
		t.Error("Watched is off")
	}
}
