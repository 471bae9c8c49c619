// Package require has the functions of testify's package that the golden module calls.
package require

type TestingT interface{ FailNow() }

func Equal(t TestingT, expected, actual any, msgAndArgs ...any) {}

func ErrorIs(t TestingT, err, target error, msgAndArgs ...any) {}

type Assertions struct{ t TestingT }

func New(t TestingT) *Assertions { return &Assertions{t} }

func (a *Assertions) NotEqual(expected, actual any, msgAndArgs ...any) {}

func (a *Assertions) NotErrorIs(err, target error, msgAndArgs ...any) {}
