package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// binaryGoal is how large the smallest program may be, stripped, as a multiple of the official driver's. Size is not a goal in
// itself: a library is worth more than the bytes that it takes.
const binaryGoal = 1.15

// measureBinary builds the smallest program that finds a document with each driver. Without Go or the sources it measures
// nothing, and says so.
func measureBinary() ([]scenario, error) {
	dir, err := os.MkdirTemp("", "peerbench")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	var sizes [2]float64
	for i, driver := range []string{"official", "onion"} {
		if sizes[i], err = binarySize(filepath.Join(dir, driver), "./binary/"+driver); err != nil {
			say("the smallest programs are not measured: %v", err)
			return nil, nil
		}
	}
	const name = "the smallest program with a findOne, stripped"
	return []scenario{{Name: name, Unit: "MB", Official: sizes[0], Onion: sizes[1], Goal: binaryGoal}}, nil
}

func binarySize(name, pkg string) (megabytes float64, err error) {
	if out, err := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", name, pkg).CombinedOutput(); err != nil {
		return 0, fmt.Errorf("%w: %s", err, out)
	}
	info, err := os.Stat(name)
	if err != nil {
		return 0, err
	}
	return float64(info.Size()) / 1e6, nil
}
