package scenario

import (
	"bufio"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Write writes a scenario, a line for each thing: its word, then what differs from zero as name=value. Clients, workers and nodes
// are always written. Their number -1 stands for none, or for all clients.
func Write(w io.Writer, s *Scenario) error {
	b := bufio.NewWriter(w)
	writeLine(b, "world", s.World)
	for _, c := range s.Clients {
		writeLine(b, "client", c)
	}
	for _, k := range s.Workers {
		writeLine(b, "worker", k)
	}
	for _, f := range s.Faults {
		writeLine(b, "fault", f)
	}
	for _, o := range s.Ops {
		writeLine(b, "op", o)
	}
	return b.Flush()
}

// numbered are the names of things that are counted from 0. A 0 is a value there, not an unset field.
var numbered = []string{"number", "client", "worker", "node"}

func writeLine(w *bufio.Writer, word string, v any) {
	w.WriteString(word)
	fields := reflect.ValueOf(v)
	for i := range fields.NumField() {
		if f, name := fields.Field(i), strings.ToLower(fields.Type().Field(i).Name); !f.IsZero() || slices.Contains(numbered, name) {
			fmt.Fprintf(w, " %s=%v", name, f.Interface())
		}
	}
	w.WriteByte('\n')
}

// String returns the step as a file has it: 3+17 appends 17 to the list of key 3, and 3 alone reads it.
func (s Step) String() string {
	if s.Append {
		return fmt.Sprintf("%d+%d", s.Key, s.Value)
	}
	return strconv.Itoa(s.Key)
}

// Read reads what Write wrote. It skips empty lines and lines that begin with #.
func Read(r io.Reader) (*Scenario, error) {
	s := &Scenario{}
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	for n := 1; lines.Scan(); n++ {
		text := strings.TrimSpace(lines.Text())
		if text == "" || text[0] == '#' {
			continue
		}
		if err := s.readLine(text); err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
	}
	return s, lines.Err()
}

func (s *Scenario) readLine(text string) error {
	word, rest, _ := strings.Cut(text, " ")
	switch word {
	case "world":
		return readFields(rest, &s.World)
	case "client":
		return appendLine(rest, &s.Clients)
	case "worker":
		return appendLine(rest, &s.Workers)
	case "fault":
		return appendLine(rest, &s.Faults)
	case "op":
		return appendLine(rest, &s.Ops)
	}
	return fmt.Errorf("%q is no word that a line begins with", word)
}

func appendLine[T any](text string, to *[]T) error {
	var v T
	err := readFields(text, &v)
	*to = append(*to, v)
	return err
}

func readFields(text string, v any) error {
	fields := reflect.ValueOf(v).Elem()
	for text != "" {
		name, rest, found := strings.Cut(text, "=")
		if !found {
			return fmt.Errorf("%q is not name=value", text)
		}
		end := strings.IndexByte(rest, ' ')
		if strings.HasPrefix(rest, "[") {
			end = strings.IndexByte(rest, ']') + 1
		}
		value := rest
		if text = ""; end >= 0 && end < len(rest) {
			value, text = rest[:end], strings.TrimSpace(rest[end:])
		}
		field := fields.FieldByNameFunc(func(known string) bool { return strings.EqualFold(known, name) })
		if !field.IsValid() {
			return fmt.Errorf("there is no %q", name)
		}
		if err := readValue(field, value); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

func readValue(field reflect.Value, text string) error {
	switch v := field.Addr().Interface().(type) {
	case *time.Duration:
		d, err := time.ParseDuration(text)
		*v = d
		return err
	case *[]Step:
		for _, word := range strings.Fields(strings.Trim(text, "[]")) {
			step, err := readStep(word)
			if err != nil {
				return err
			}
			*v = append(*v, step)
		}
		return nil
	case *string:
		*v = text
		return nil
	}
	_, err := fmt.Sscan(text, field.Addr().Interface())
	return err
}

func readStep(word string) (s Step, err error) {
	key, value, appends := strings.Cut(word, "+")
	if s.Key, err = strconv.Atoi(key); err != nil {
		return s, err
	}
	if s.Append = appends; appends {
		s.Value, err = strconv.Atoi(value)
	}
	return s, err
}
