package main

import (
	"runtime/metrics"
	"testing"
)

// heldBytes returns the memory that the process has from the system.
func heldBytes() uint64 {
	samples := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(samples)
	return samples[0].Value.Uint64() - samples[1].Value.Uint64()
}

var sink []byte

func TestMemoryIsGivenBackWhenIdle(t *testing.T) {
	var m memory
	m.giveBackIfIdle()
	for m.giveBackIfIdle() { // what earlier tests left
	}
	sink = make([]byte, 200<<20)
	for i := range sink {
		sink[i] = 1
	}
	full := heldBytes()
	sink = nil
	if m.giveBackIfIdle() {
		t.Error("a busy program gave memory back")
	}
	if !m.giveBackIfIdle() {
		t.Fatal("an idle program kept its memory")
	}
	if now := heldBytes(); now > full-150<<20 {
		t.Errorf("%d of %d MB are left", now>>20, full>>20)
	}
	if m.giveBackIfIdle() {
		t.Error("there was nothing more to give back")
	}
}
