// Package model is part of the generator, not for users: it turns loaded rows into what emitters see: resolved, checked and
// in a fixed order.
//
// One file and one function per table. A model function never fails. It records what is wrong with a table as a problem
// at the row's place, and the run ends before it writes anything. Only gen's packages import this one.
package model
