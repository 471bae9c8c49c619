package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

func main() {
	if err := run(os.Args[1:], os.Stderr); err != nil {
		if !errors.Is(err, flag.ErrHelp) {
			fmt.Fprintln(os.Stderr, "bsongen:", err)
		}
		os.Exit(1)
	}
}

// settings are what the flags say.
type settings struct {
	dir, output, tags string
	names             []string
	jsonTags, check   bool
	progress          io.Writer // for a person who waits
}

// terminalOf returns the writer if it is a terminal, and nil otherwise.
func terminalOf(w io.Writer) io.Writer {
	if f, ok := w.(*os.File); ok {
		if info, err := f.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 {
			return w
		}
	}
	return io.Discard
}

func run(args []string, stderr io.Writer) error {
	s := settings{progress: terminalOf(stderr)}
	flags := flag.NewFlagSet("bsongen", flag.ContinueOnError)
	flags.SetOutput(stderr)
	types := flags.String("type", "", "comma-separated `names` of structs (required)")
	flags.StringVar(&s.output, "output", "", "`file` to write, in the package's directory")
	flags.StringVar(&s.dir, "dir", ".", "`directory` of the package")
	flags.StringVar(&s.tags, "tags", "", "comma-separated build `tags` to read the package with")
	flags.BoolVar(&s.jsonTags, "json", false, "take name and omitempty of fields without a bson tag from their json tag")
	flags.BoolVar(&s.check, "check", false, "write nothing, and fail when the file is not what would be written")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *types == "" {
		return errors.New("-type names no struct")
	}
	s.names = strings.Split(*types, ",")
	if s.output == "" {
		s.output = strings.ToLower(s.names[0]) + "_bson.go"
	}
	source, err := s.generate()
	if err != nil {
		return err
	}
	path := filepath.Join(s.dir, s.output)
	if !s.check {
		fmt.Fprintf(s.progress, "bsongen: writing %s\n", path)
		return os.WriteFile(path, source, 0o666)
	}
	return compare(path, source)
}

// compare says where a file differs from what bsongen writes.
func compare(path string, source []byte) error {
	have, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	old, now := strings.Split(string(have), "\n"), strings.Split(string(source), "\n")
	for i := range max(len(old), len(now)) {
		if i >= len(old) || i >= len(now) || old[i] != now[i] {
			return fmt.Errorf("%s:%d: this is not what the structs say now: run go generate", path, i+1)
		}
	}
	return nil
}
