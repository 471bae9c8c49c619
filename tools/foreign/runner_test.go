package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// write fills a folder with files.
func write(t *testing.T, files map[string]string) string {
	t.Helper()
	folder := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// runOutcomes returns how the tests ended, by name, without the messages.
func runOutcomes(t *testing.T, j job) []outcome {
	t.Helper()
	var log bytes.Buffer
	all, err := j.run(t.Context(), &log)
	if m := (missingError{}); errors.As(err, &m) {
		t.Skip(m)
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, &log)
	}
	for i := range all {
		all[i].message = ""
	}
	return all
}

func TestRunGo(t *testing.T) {
	folder := write(t, map[string]string{"go.mod": "module example.com/mini\n\ngo 1.26\n", "mini_test.go": `package mini

import (
	"os"
	"testing"
)

func TestAddress(t *testing.T) {
	if os.Getenv("WHERE") != "mongodb://a:1,b:2/?x=y" {
		t.Error(os.Getenv("WHERE"))
	}
}
func TestFails(t *testing.T) { t.Run("inside", func(t *testing.T) { t.Error("no") }) }
func TestSkips(t *testing.T) { t.Skip("not here") }
func TestLeftOut(t *testing.T) { t.Error("it ran") }
func TestPanics(t *testing.T) { panic("it ends the run") }
func TestBehind(t *testing.T) {}
`})
	s := suite{Run: runner{Kind: "go", Packages: []string{"."}}, Timeout: time.Minute, Env: map[string]string{"WHERE": "{uri}"},
		LeftOut: []omittedTest{{Tests: "^TestLeftOut$"}}, Sample: []string{"^TestSkips$", "^TestAddress$"}}
	j := job{suite: s, uri: "mongodb://a:1,b:2/?x=y", folder: folder}
	want := []outcome{{"TestAddress", passed, ""}, {"TestFails/inside", failed, ""}, {"TestSkips", skipped, ""}, {"TestPanics", failed, ""}}
	if got := runOutcomes(t, j); !slices.Equal(got, want) {
		t.Errorf("%+v", got)
	}
	j.sample = true
	if got, want := runOutcomes(t, j), []outcome{{"TestAddress", passed, ""}, {"TestSkips", skipped, ""}}; !slices.Equal(got, want) {
		t.Errorf("the sample: %+v", got)
	}
}

func TestRunPython(t *testing.T) {
	folder := write(t, map[string]string{"mini.py": `import os
import unittest


class Mini(unittest.TestCase):
    def test_address(self):
        print('noise')
        self.assertEqual((os.environ['HOST'], os.environ['PORT']), ('a', '1'))

    def test_fails(self):
        self.fail('no')

    def test_left_out(self):
        self.fail('it ran')

    def test_raises(self):
        raise KeyError('no')

    @unittest.skip('not here')
    def test_skips(self):
        pass


class Broken(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        raise ValueError('no')

    def test_never(self):
        pass
`})
	s := suite{Run: runner{Kind: "unittest", Packages: []string{"mini"}}, Timeout: time.Minute,
		Env: map[string]string{"HOST": "{host}", "PORT": "{port}"}, LeftOut: []omittedTest{{Tests: "left_out"}}}
	got := runOutcomes(t, job{suite: s, uri: "mongodb://u:p@a:1,b:2/", folder: folder})
	want := []outcome{
		{"setUpClass (mini.Broken)", failed, ""}, {"mini.Mini.test_address", passed, ""}, {"mini.Mini.test_fails", failed, ""},
		{"mini.Mini.test_raises", failed, ""}, {"mini.Mini.test_skips", skipped, ""},
	}
	if !slices.Equal(got, want) {
		t.Errorf("%+v", got)
	}
}

func TestRunPerl(t *testing.T) {
	folder := write(t, map[string]string{"a.t": `use Test::More;
subtest 'inside' => sub { is($ENV{WHERE}, 'mongodb://a:1', 'address') };
diag('noise');
subtest 'outside' => sub { ok(0, 'a') };
TODO: { local $TODO = 'later'; ok(0, 'not yet') }
SKIP: { skip('not here', 1) }
ok(1);
done_testing;
`, "broken.t": "use Test::More;\nok(1, 'begun');\ndie 'here';\n", "left.t": "die 'it ran'",
		"short.t": "use Test::More tests => 2;\nok(0, 'begun');\n", "skipped.t": "use Test::More skip_all => 'not at all';\n"})
	s := suite{Run: runner{Kind: "perl", Packages: []string{"*.t"}, Imports: []string{"Test::More"}}, Timeout: time.Minute,
		Env: map[string]string{"WHERE": "{uri}"}, LeftOut: []omittedTest{{Tests: "^left"}}}
	got := runOutcomes(t, job{suite: s, uri: "mongodb://a:1", folder: folder})
	want := []outcome{
		{"a.t: inside", passed, ""}, {"a.t: outside", failed, ""}, {"a.t: not yet", passed, ""}, {"a.t: 4", skipped, ""}, {"a.t: 5", passed, ""},
		{"broken.t: begun", passed, ""}, {"broken.t: the file comes to its end", failed, ""},
		{"short.t: begun", failed, ""}, {"short.t: after begun the file comes to its end", failed, ""}, {"skipped.t", skipped, ""},
	}
	if !slices.Equal(got, want) {
		t.Errorf("%+v", got)
	}
}

func TestASourceThatIsNotThereIsMissing(t *testing.T) {
	t.Setenv("GOPROXY", "file://"+t.TempDir())
	t.Setenv("GOFLAGS", "-modcacherw")
	t.Setenv("GOMODCACHE", t.TempDir())
	_, err := fetch(t.Context(), t.TempDir(), source{Go: "example.com/none", Version: "v1.0.0"})
	if m := (missingError{}); !errors.As(err, &m) {
		t.Error(err)
	}
}
