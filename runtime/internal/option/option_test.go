package option

import "testing"

func TestOr(t *testing.T) {
	for _, test := range []struct {
		name  string
		given *int
		want  int
	}{
		{"unset", nil, 7},
		{"set", new(3), 3},
		{"set to zero", new(0), 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := Or(test.given, 7); got != test.want {
				t.Errorf("Or() = %d, want %d", got, test.want)
			}
		})
	}
}
