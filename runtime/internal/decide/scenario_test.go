package decide

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/specdrivers/onion/generated/core/operation"
)

var update = flag.Bool("update", false, "write what the decisions say into the scenarios")

const scenarios = "../../../specs/cases/operation"

// TestScenarios plays the dialogues in specs/cases/operation. A line has an event and, behind a colon, the verdict.
func TestScenarios(t *testing.T) {
	files, err := filepath.Glob(scenarios + "/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("there are no scenarios: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got, err := play(string(text))
			if err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			switch {
			case got == string(text):
			case *update:
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			default:
				t.Errorf("%s says\n%s\nbut the decisions say\n%s", file, text, got)
			}
		})
	}
}

// play returns a scenario with the verdicts as they are.
func play(text string) (string, error) {
	var out strings.Builder
	o, most := Operation{}, 2
	for number, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		said, _, _ := strings.Cut(line, ":")
		words := strings.Fields(said)
		switch {
		case len(words) == 0 || strings.HasPrefix(line, "#"):
			out.WriteString(line + "\n")
		case words[0] == "given":
			if err := fill(reflect.ValueOf(&o.State).Elem(), words[1:]); err != nil {
				return "", fmt.Errorf("line %d: %w", number+1, err)
			}
			out.WriteString(line + "\n")
		case words[0] == "maxAdaptiveRetries" && len(words) == 2:
			var err error
			if most, err = strconv.Atoi(words[1]); err != nil {
				return "", err
			}
			out.WriteString(line + "\n")
		default:
			var e operation.Event
			if err := fill(reflect.ValueOf(&e).Elem(), words); err != nil {
				return "", fmt.Errorf("line %d: %w", number+1, err)
			}
			before := o.State
			v := o.Step(&e, most)
			fmt.Fprintf(&out, "%s: %s\n", strings.TrimRight(said, " "), strings.Join(answer(before, o.State, v), " "))
		}
	}
	return out.String(), nil
}

// fill sets the fields whose terms have members of these names.
func fill(v reflect.Value, names []string) error {
	for _, name := range names {
		found := false
		for i := range v.NumField() {
			for member := range memberCount(v.Field(i)) {
				if memberName(v.Field(i).Type(), member) == name {
					v.Field(i).SetUint(uint64(member))
					found = true
				}
			}
		}
		if !found {
			return fmt.Errorf("no term of %s has a member %s", v.Type().Name(), name)
		}
	}
	return nil
}

func memberCount(v reflect.Value) int {
	n := 0
	for !strings.Contains(memberName(v.Type(), n), "(") {
		n++
	}
	return n
}

func memberName(t reflect.Type, n int) string {
	v := reflect.New(t).Elem()
	v.SetUint(uint64(n))
	return v.Interface().(fmt.Stringer).String()
}

// answer lists what a verdict says: what to do, and everything else that is not the zero value. What only leads to another
// decision is left out. Behind it stands what the operation remembers from now on.
func answer(before, after operation.State, verdict operation.Verdict) []string {
	out := []string{verdict.Do.String()}
	v := reflect.ValueOf(verdict)
	for i := range v.NumField() {
		switch name := v.Type().Field(i).Name; name {
		case "Do", "Room", "Adaptive", "Again", "Rows":
		case "Lsid", "TxnNumber", "ReadConcern", "WriteConcern", "Gossip":
			if verdict.Do == operation.Encode && !v.Field(i).IsZero() {
				out = append(out, v.Field(i).Interface().(fmt.Stringer).String())
			}
		default:
			if !v.Field(i).IsZero() {
				out = append(out, v.Field(i).Interface().(fmt.Stringer).String())
			}
		}
	}
	was, is := reflect.ValueOf(before), reflect.ValueOf(after)
	for i := range is.NumField() {
		switch is.Type().Field(i).Name {
		case "Policy", "Load", "Commits", "CommitBefore":
			if !was.Field(i).Equal(is.Field(i)) {
				out = append(out, is.Field(i).Interface().(fmt.Stringer).String())
			}
		}
	}
	return out
}
