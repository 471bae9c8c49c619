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
	var versions []string
	for i := at; i < len(d.lines) && !heading.MatchString(d.lines[i]); i++ {
		if m := backpressure.FindStringSubmatch(d.lines[i]); m != nil {
			versions = append(versions, m[1])
		}
	}
	if len(versions) != 1 {
		return nil, d.errorf(at, "the section names %d versions of backpressure", len(versions))
	}
	return []table{{
		file: "wire/values.yaml", list: "rows", key: "name", partial: true,
		rows: []row{{key: "BackpressureVersion", facts: []fact{{"value", versions[0]}}}},
	}}, nil
}
