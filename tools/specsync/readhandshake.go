package main

import "regexp"

const handshakeDoc = "mongodb-handshake/handshake.md"

var backpressure = regexp.MustCompile("MUST include `backpressure: \"(\\w+)\"` in their handshake request")

// readHandshake reads the version of client backpressure that a handshake declares.
func readHandshake(open func(string) (*document, error)) ([]table, error) {
	d, err := open(handshakeDoc)
	if err != nil {
		return nil, err
	}
	at, err := d.section("Connection handshake", 0)
	if err != nil {
		return nil, err
	}
	for i := at; i < len(d.lines) && !heading.MatchString(d.lines[i]); i++ {
		if m := backpressure.FindStringSubmatch(d.lines[i]); m != nil {
			return []table{{
				file: "wire/values.yaml", list: "rows", key: "name", partial: true,
				rows: []row{{key: "BackpressureVersion", facts: []fact{{"value", m[1]}}}},
			}}, nil
		}
	}
	return nil, d.errorf(at, "the section names no version of backpressure")
}
