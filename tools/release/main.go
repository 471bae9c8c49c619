package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"regexp"
	"time"
)

func main() {
	check := flag.Bool("check", false, "say what would break a user since the last tag")
	write := flag.String("write", "", "write this `version` into every nested go.mod and the changelog")
	try := flag.String("try", "", "build every module at this `version` from a local file proxy")
	keep := flag.String("keep", "", "with -try, leave what users would download in this `directory`")
	tag := flag.String("tag", "", "make the tags of this `version`")
	develop := flag.Bool("develop", false, "let nested modules use this tree again, after the tags")
	dir := flag.String("C", ".", "the repository's `directory`")
	flag.Parse()
	if err := run(os.Stdout, *dir, action{*check, *develop, *write, *try, *keep, *tag}); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// version is what a tag may be: Go's tools take nothing else.
var version = regexp.MustCompile(`^v(0|1)\.\d+\.\d+(-[0-9A-Za-z.-]+)?$`)

// action is what the command line asks for.
type action struct {
	check, develop        bool
	write, try, keep, tag string
}

func run(out io.Writer, dir string, a action) error {
	for _, v := range []string{a.write, a.try, a.tag} {
		if v != "" && !version.MatchString(v) {
			return fmt.Errorf("%s is not a version such as v0.3.0; v2 and above would need other module paths", v)
		}
	}
	r, err := open(dir)
	if err != nil {
		return err
	}
	switch {
	case a.check:
		return r.check(out)
	case a.write != "":
		if err := r.writeChangelog(out, a.write, time.Now().UTC()); err != nil {
			return err
		}
		return r.write(out, a.write)
	case a.try != "":
		return r.try(out, a.try, a.keep)
	case a.tag != "":
		return r.tag(out, a.tag)
	case a.develop:
		return r.develop(out)
	}
	return errors.New("say what to do: -check, -write, -try, -tag or -develop")
}
