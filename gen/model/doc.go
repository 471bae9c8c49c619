// Package model turns loaded rows into what emitters see: resolved, checked and in a fixed order.
//
// One file and one function per table. A model function never fails; what is wrong with a table is recorded as a
// problem at the row's place and the run ends before anything is written. Imported by gen's packages only.
package model
