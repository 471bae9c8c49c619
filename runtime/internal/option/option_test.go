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

type inner struct {
	Number *int
	Lists  [][]string
}

type closed struct{ number *int }

type outer struct {
	Text   *string
	Inner  *inner
	Direct inner
	Closed *closed
	Any    any
	Func   func()
}

// What a program changes after a call does not reach a copy, however deep it lies.
func TestACopySharesNothingThatTheProgramCanChange(t *testing.T) {
	given := outer{
		Text: new("a"), Inner: &inner{new(1), [][]string{{"x"}}}, Direct: inner{new(2), [][]string{{"y"}}},
		Closed: &closed{new(3)}, Any: new(4), Func: func() {},
	}
	kept := Copy(given)
	*given.Text, *given.Inner.Number, *given.Direct.Number = "b", 0, 0
	given.Inner.Lists[0][0], given.Direct.Lists[0] = "z", nil
	given.Inner.Number, *given.Inner = nil, inner{}
	if *kept.Text != "a" || *kept.Inner.Number != 1 || kept.Inner.Lists[0][0] != "x" || *kept.Direct.Number != 2 || kept.Direct.Lists[0][0] != "y" {
		t.Errorf("the copy has %q, %+v and %+v", *kept.Text, kept.Inner, kept.Direct)
	}
	if kept.Closed != given.Closed || kept.Any != given.Any || kept.Func == nil {
		t.Errorf("%v, %v: they are not for this package to copy", kept.Closed, kept.Any)
	}
}

// An option that is unset stays unset.
func TestACopyOfNothing(t *testing.T) {
	if kept := Copy(outer{}); kept.Text != nil || kept.Inner != nil || kept.Direct.Lists != nil || kept.Any != nil {
		t.Errorf("%+v", kept)
	}
}

func TestCheckNumber(t *testing.T) {
	type season uint8
	for _, test := range []struct {
		given *season
		want  string
	}{
		{nil, ""}, {new(season(1)), ""}, {new(season(4)), ""},
		{new(season(0)), "mongo: Season is 0, which is not one of its values: use Spring to Winter"},
		{new(season(5)), "mongo: Season is 5, which is not one of its values: use Spring to Winter"},
	} {
		got := ""
		if err := CheckNumber("Season", test.given, 4, "Spring to Winter"); err != nil {
			got = err.Error()
		}
		if got != test.want {
			t.Errorf("%q, want %q", got, test.want)
		}
	}
}
