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

func run(args []string, stderr io.Writer) error {
	flags := flag.NewFlagSet("bsongen", flag.ContinueOnError)
	flags.SetOutput(stderr)
	types := flags.String("type", "", "comma-separated `names` of structs (required)")
	output := flags.String("output", "", "`file` to write, in the package's directory")
	dir := flags.String("dir", ".", "`directory` of the package")
	jsonTags := flags.Bool("json", false, "take name and omitempty of fields without a bson tag from their json tag")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *types == "" {
		return errors.New("-type names no struct")
	}
	names := strings.Split(*types, ",")
	if *output == "" {
		*output = strings.ToLower(names[0]) + "_bson.go"
	}
	source, err := generate(*dir, *output, names, *jsonTags)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(*dir, *output), source, 0o666)
}
