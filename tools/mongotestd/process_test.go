package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// echoes is the environment variable that makes the child the bare TCP server.
const echoes = "MONGOTEST_ECHO"

func TestMain(m *testing.M) {
	if os.Getenv(echoes) != "" {
		if err := echo(os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	code := m.Run()
	if built.directory != "" {
		os.RemoveAll(built.directory)
	}
	os.Exit(code)
}

// built holds the program, built when a test first needs it.
var built struct {
	once      sync.Once
	directory string
	err       error
}

// buildProgram returns the path of the built program.
func buildProgram(t testing.TB) string {
	t.Helper()
	built.once.Do(func() {
		if built.directory, built.err = os.MkdirTemp("", "mongotestd"); built.err != nil {
			return
		}
		out, err := exec.Command("go", "build", "-ldflags=-w", "-o", built.directory, ".").CombinedOutput()
		if err != nil {
			built.err = fmt.Errorf("%w: %s", err, out)
		}
	})
	if built.err != nil {
		t.Fatal(built.err)
	}
	return filepath.Join(built.directory, "mongotestd")
}

// child is a running server process.
type child struct {
	cmd    *exec.Cmd
	line   string // the first line that it printed
	rest   *bufio.Reader
	errors strings.Builder
	ready  time.Duration // from its start to that line
	ended  bool
}

// launch starts a process and waits for its first line. The process ends with the test.
func launch(t testing.TB, cmd *exec.Cmd) *child {
	t.Helper()
	c := &child{cmd: cmd}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = &c.errors
	began := time.Now()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if !c.ended {
			cmd.Process.Kill()
			cmd.Wait()
		}
	})
	c.rest = bufio.NewReader(out)
	line, err := c.rest.ReadString('\n')
	if err != nil {
		t.Fatalf("%v prints no line: %v: %s", cmd.Args, err, c.errors.String())
	}
	c.ready, c.line = time.Since(began), strings.TrimSuffix(line, "\n")
	return c
}

// stop sends a signal, waits, and returns the rest of the process's output.
func (c *child) stop(t testing.TB, signal os.Signal) (more string) {
	t.Helper()
	if err := c.cmd.Process.Signal(signal); err != nil {
		t.Fatal(err)
	}
	rest, err := io.ReadAll(c.rest)
	if err != nil {
		t.Error(err)
	}
	c.ended = true
	if err := c.cmd.Wait(); err != nil {
		t.Errorf("after %v: %v: %s", signal, err, c.errors.String())
	}
	return string(rest)
}

// cpu returns the processor time that the process has used, user and system together.
func (c *child) cpu(b *testing.B) time.Duration {
	b.Helper()
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", c.cmd.Process.Pid))
	if err != nil {
		b.Skipf("the processor time of another process is read from /proc: %v", err)
	}
	// proc_pid_stat(5): the fields follow the name, which is in parentheses; utime and stime are the 14th and the 15th.
	fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
	var ticks int
	for _, field := range fields[11:13] {
		n, err := strconv.Atoi(field)
		if err != nil {
			b.Fatal(err)
		}
		ticks += n
	}
	return time.Duration(ticks) * (time.Second / 100) // USER_HZ
}

// echo is a minimal TCP server. It answers messages of one length with messages of another. A client first sends the
// two lengths, one byte each.
func echo(out io.Writer) error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintln(out, listener.Addr()); err != nil {
		return err
	}
	nc, err := listener.Accept()
	if err != nil {
		return err
	}
	var lengths [2]byte
	if _, err := io.ReadFull(nc, lengths[:]); err != nil {
		return err
	}
	in, reply := make([]byte, lengths[0]), make([]byte, lengths[1])
	for {
		if _, err := io.ReadFull(nc, in); err != nil {
			if errors.Is(err, io.EOF) || errors.Is(err, syscall.ECONNRESET) {
				return nil
			}
			return err
		}
		if _, err := nc.Write(reply); err != nil {
			return err
		}
	}
}

// launchEcho starts the bare server and connects to it.
func launchEcho(b *testing.B, request, reply int) (*child, net.Conn) {
	b.Helper()
	if request > 255 || reply > 255 {
		b.Fatalf("messages of %d and %d bytes", request, reply)
	}
	self, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), echoes+"=1")
	c := launch(b, cmd)
	nc, err := net.Dial("tcp", c.line)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { nc.Close() })
	if _, err := nc.Write([]byte{byte(request), byte(reply)}); err != nil {
		b.Fatal(err)
	}
	return c, nc
}
