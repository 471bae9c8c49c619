package decide

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/specdrivers/onion/generated/core/changestream"
	"github.com/specdrivers/onion/generated/core/operation"
	"github.com/specdrivers/onion/generated/core/withtransaction"
)

var update = flag.Bool("update", false, "write what the decisions say into the scenarios")

const scenarios = "../../../specs/cases/"

// TestScenarios plays the dialogues below specs/cases. A line has an event and, after a colon, the verdict.
func TestScenarios(t *testing.T) {
	for folder, begin := range map[string]func() player{
		"operation": operationPlayer, "changestream": streamPlayer, "withtransaction": transactionPlayer, "timeout": timeoutPlayer,
	} {
		files, err := filepath.Glob(scenarios + folder + "/*.txt")
		if err != nil || len(files) == 0 {
			t.Fatalf("there are no scenarios of %s: %v", folder, err)
		}
		for _, file := range files {
			t.Run(folder+"/"+strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
				text, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				got, err := play(string(text), begin())
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
}

// player plays one scenario: it sets what is given, and steps.
type player struct {
	set  func(words []string) error
	step func(words []string) (answer []string, err error)
}

// play returns a scenario with the actual verdicts.
func play(text string, p player) (string, error) {
	var out strings.Builder
	for number, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		said, _, _ := strings.Cut(line, ":")
		words := strings.Fields(said)
		switch {
		case len(words) == 0 || strings.HasPrefix(line, "#"):
			out.WriteString(line + "\n")
		case words[0] == "given" || words[0] == "maxAdaptiveRetries":
			if err := p.set(words); err != nil {
				return "", fmt.Errorf("line %d: %w", number+1, err)
			}
			out.WriteString(line + "\n")
		default:
			answer, err := p.step(words)
			if err != nil {
				return "", fmt.Errorf("line %d: %w", number+1, err)
			}
			fmt.Fprintf(&out, "%s: %s\n", strings.TrimRight(said, " "), strings.Join(answer, " "))
		}
	}
	return out.String(), nil
}

func operationPlayer() player {
	o, most := Operation{}, 2
	set := func(words []string) (err error) {
		if words[0] == "given" {
			return fill(reflect.ValueOf(&o.State).Elem(), words[1:])
		}
		most, err = strconv.Atoi(strings.Join(words[1:], " "))
		return err
	}
	return player{set, func(words []string) ([]string, error) {
		var e operation.Event
		if err := fill(reflect.ValueOf(&e).Elem(), words); err != nil {
			return nil, err
		}
		before := o.State
		var v operation.Verdict
		o.Step(&e, &v, most)
		a := answers{verdict: reflect.ValueOf(v), before: reflect.ValueOf(before), after: reflect.ValueOf(o.State)}
		skip := "Room Adaptive Again"
		if v.Do != operation.Encode {
			skip += " Lsid TxnNumber ReadConcern WriteConcern Gossip"
		}
		return a.list(skip, "Policy Load Commits CommitBefore"), nil
	}}
}

func streamPlayer() player {
	var s changestream.State
	return player{takeNothing, func(words []string) ([]string, error) {
		var e changestream.Event
		if err := fill(reflect.ValueOf(&e).Elem(), words); err != nil {
			return nil, err
		}
		before := s
		var v changestream.Verdict
		s, v = changestream.Step(s, e)
		a := answers{verdict: reflect.ValueOf(v), before: reflect.ValueOf(before), after: reflect.ValueOf(s)}
		skip := "Resumable Lapse"
		if v.Do == changestream.Aggregate && v.Start == changestream.AsGiven {
			a.also = v.Start.String()
		} else if v.Do != changestream.Aggregate {
			skip += " Start"
		}
		remembered := "Position"
		if s.Stage >= changestream.Lapsed {
			remembered += " Stage"
		}
		return a.list(skip, remembered), nil
	}}
}

func transactionPlayer() player {
	var s withtransaction.State
	return player{takeNothing, func(words []string) ([]string, error) {
		var e withtransaction.Event
		if err := fill(reflect.ValueOf(&e).Elem(), words); err != nil {
			return nil, err
		}
		before := s
		var v withtransaction.Verdict
		s, v = withtransaction.Step(s, e)
		a := answers{verdict: reflect.ValueOf(v), before: reflect.ValueOf(before), after: reflect.ValueOf(s)}
		skip := "Again"
		if v.Do != withtransaction.Return {
			skip += " Report"
		}
		return a.list(skip, ""), nil
	}}
}

func takeNothing(words []string) error { return fmt.Errorf("%s: nothing is given here", words) }

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

// answers is what one event has led to.
type answers struct {
	verdict, before, after reflect.Value
	also                   string
}

// list returns what to do, then every other value that is not zero, except those that only lead to another decision,
// and last what the state remembers from now on.
func (a *answers) list(skip, remembered string) []string {
	out := []string{a.verdict.FieldByName("Do").Interface().(fmt.Stringer).String()}
	if a.also != "" {
		out = append(out, a.also)
	}
	for i := range a.verdict.NumField() {
		name, v := a.verdict.Type().Field(i).Name, a.verdict.Field(i)
		if name != "Do" && name != "Rows" && !slices.Contains(strings.Fields(skip), name) && !v.IsZero() {
			out = append(out, v.Interface().(fmt.Stringer).String())
		}
	}
	for i := range a.after.NumField() {
		is := a.after.Field(i)
		if slices.Contains(strings.Fields(remembered), a.after.Type().Field(i).Name) && !a.before.Field(i).Equal(is) {
			out = append(out, is.Interface().(fmt.Stringer).String())
		}
	}
	return out
}
