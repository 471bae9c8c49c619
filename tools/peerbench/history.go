package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// appendHistory adds a run to the history, a file with one JSON document a line, and returns all runs in it. Void runs are
// left out.
func appendHistory(name string, r runReport) ([]runReport, error) {
	history, err := readHistory(name)
	if err != nil || r.Void {
		return history, err
	}
	line, err := json.Marshal(r.withoutSamples())
	if err != nil {
		return nil, err
	}
	file, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return nil, err
	}
	_, err = file.Write(append(line, '\n'))
	return append(history, r), errors.Join(err, file.Close())
}

// readHistory reads the runs of a history; a file that does not exist yet has none.
func readHistory(name string) ([]runReport, error) {
	data, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var history []runReport
	lines := bufio.NewScanner(bytes.NewReader(data))
	lines.Buffer(nil, len(data)+1)
	for number := 1; lines.Scan(); number++ {
		var r runReport
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			return nil, fmt.Errorf("%s, line %d: %w", name, number, err)
		}
		history = append(history, r)
	}
	return history, lines.Err()
}
