package main

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The child processes of these tests find the folder with their files in this variable.
const childFolder = "SPECSYNC_TEST_FOLDER"

// smallDisk is set for a child that has a full disk.
const smallDisk = "SPECSYNC_TEST_DISK"

const childFiles = 20

// versions returns the files of a folder, all of one version.
func versions(folder string, version byte) []pendingFile {
	var out []pendingFile
	for i := range childFiles {
		text := bytes.Repeat([]byte{version}, 20_000+i)
		out = append(out, pendingFile{filepath.Join(folder, fmt.Sprintf("table%d.yaml", i)), text})
	}
	return out
}

// rewrite is the child: it writes one version after the other, and says so, until it is killed.
func rewrite(folder string) {
	for i := 0; ; i++ {
		if err := replaceFiles(versions(folder, "AB"[i%2])); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		fmt.Print(".")
	}
}

// folderOf makes the files, which only their owner may read.
func folderOf(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	for _, w := range versions(folder, 'A') {
		if err := os.WriteFile(w.path, w.data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// wholeFiles checks that each file is whole and has its mode, and returns how many have each version.
func wholeFiles(t *testing.T, folder string) map[byte]int {
	t.Helper()
	count := map[byte]int{}
	for i, w := range versions(folder, 'A') {
		data := []byte(content(t, w.path))
		if len(data) != 20_000+i || len(bytes.Trim(data, string(data[:1]))) != 0 {
			t.Fatalf("%s has %d bytes and is not whole", w.path, len(data))
		}
		if info, err := os.Stat(w.path); err != nil || info.Mode().Perm() != 0o600 && filepath.Separator == '/' {
			t.Fatalf("%s: %v, %v", w.path, info.Mode(), err)
		}
		count[data[0]]++
	}
	return count
}

// leftovers returns the files of a folder that are no tables.
func leftovers(t *testing.T, folder string) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(folder, "*"+unfinished+"*"))
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// TestKilledWhileItWrites: whenever the process dies, each table is whole, and the next run repairs the rest.
func TestKilledWhileItWrites(t *testing.T) {
	times := 5
	if os.Getenv("ONION_SIZES") == "full" {
		times = 100
	}
	folder := folderOf(t)
	for range times {
		child := exec.Command(os.Args[0])
		child.Env = append(os.Environ(), childFolder+"="+folder)
		stdout, err := child.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		var stderr strings.Builder
		child.Stderr = &stderr
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(stdout, make([]byte, 1+rand.IntN(4))); err != nil {
			t.Fatalf("the child ended: %v, %s", err, &stderr)
		}
		if err := child.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = child.Wait()
		wholeFiles(t, folder)
	}
	if err := replaceFiles(versions(folder, 'B')); err != nil {
		t.Fatal(err)
	}
	if count := wholeFiles(t, folder); count['B'] != childFiles || len(leftovers(t, folder)) > 0 {
		t.Errorf("a rerun repairs %d of %d files and leaves %v", count['B'], childFiles, leftovers(t, folder))
	}
}

// TestNothingIsWrittenUnlessAllIs: a file that may not be written, or is not there, keeps the others as they are.
func TestNothingIsWrittenUnlessAllIs(t *testing.T) {
	for name, spoil := range map[string]func(string) error{
		"read-only": func(name string) error { return os.Chmod(name, 0o400) },
		"gone":      os.Remove,
	} {
		folder := folderOf(t)
		last := filepath.Join(folder, "table9.yaml")
		if err := spoil(last); err != nil {
			t.Fatal(err)
		}
		err := replaceFiles(versions(folder, 'B'))
		if err == nil || !strings.Contains(err.Error(), "table9.yaml") {
			t.Errorf("%s: %v", name, err)
		}
		if data := content(t, filepath.Join(folder, "table0.yaml")); data[0] != 'A' || len(leftovers(t, folder)) > 0 {
			t.Errorf("%s: other files are written, or %v is left", name, leftovers(t, folder))
		}
	}
}
