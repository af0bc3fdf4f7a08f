// Command instructions counts the instructions that the kernels of onnxbackend/kernel execute on
// 64-bit ARM, at each level, and prints them as a table of instructions for each unit of work: a
// product of a matrix or a convolution, else an element. Counts, unlike times, do not depend on the
// machine, and qemu executes each instruction by itself. They say nothing of how many instructions
// a processor executes at once.
//
//	go run ./tools/dev/instructions
package main

import (
	"bufio"
	"bytes"
	"debug/elf"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

const kernels = "github.com/bagscope/bagscope/onnxbackend/kernel."

// preparation matches the functions that make operands, and those of the benchmark.
var preparation = regexp.MustCompile(
	`^(Benchmark|Test|small|random|coalitions|Pack|pack|init|glob)`)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	qemu, err := exec.Command("tools/dev/need", "qemu").Output()
	if err != nil {
		return fmt.Errorf("run instructions in the root of the repository: %w", err)
	}
	folder, err := os.MkdirTemp("", "instructions")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	c := counter{emulator: strings.TrimSpace(string(qemu)), program: filepath.Join(folder, "test")}
	build := exec.Command("go", "test", "-c", "-o", c.program, "./onnxbackend/kernel")
	build.Env = append(os.Environ(), "GOOS=linux", "GOARCH=arm64", "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	if c.ranges, err = ranges(c.program); err != nil {
		return err
	}
	return c.table()
}

// ranges returns the addresses of the kernels as qemu's option -dfilter takes them.
func ranges(program string) (string, error) {
	file, err := elf.Open(program)
	if err != nil {
		return "", err
	}
	defer file.Close()
	symbols, err := file.Symbols()
	if err != nil {
		return "", err
	}
	var list []string
	for _, s := range symbols {
		name, ok := strings.CutPrefix(s.Name, kernels)
		ok = ok && elf.ST_TYPE(s.Info) == elf.STT_FUNC && s.Size > 0
		if ok && !preparation.MatchString(name) {
			list = append(list, fmt.Sprintf("%#x+%#x", s.Value, s.Size))
		}
	}
	return strings.Join(list, ","), nil
}

// A counter runs the benchmark in qemu.
type counter struct{ emulator, program, ranges string }

// call matches the line of one call in the output of the benchmark: its name, level and units.
var call = regexp.MustCompile(`(?m)^BenchmarkSmall/(\S+)/(\w+)(?:-\d+)?\s.*\s([0-9.]+) units`)

// table prints a row for each kernel: instructions a unit in plain Go and in vectors.
func (c *counter) table() error {
	out, err := c.benchmark("").Output()
	if err != nil {
		return err
	}
	fmt.Println("| kernel | plain Go | NEON | factor |\n| --- | --- | --- | --- |")
	var plain float64
	for _, m := range call.FindAllStringSubmatch(string(out), -1) {
		units, err := strconv.ParseFloat(m[3], 64)
		if err != nil {
			return err
		}
		count, err := c.count(m[1], m[2])
		if err != nil {
			return err
		}
		each := float64(count) / units
		if m[2] == "portable" {
			plain = each
			continue
		}
		fmt.Printf("| %s | %.2f | %.2f | %.1f |\n", strings.ReplaceAll(m[1], "_", " "), plain, each,
			plain/each)
	}
	return nil
}

// benchmark returns the command that makes the calls that a pattern matches once.
func (c *counter) benchmark(pattern string, options ...string) *exec.Cmd {
	return exec.Command(c.emulator, append(options, c.program, "-test.run", "^$", "-test.benchtime",
		"1x", "-test.bench", "^BenchmarkSmall$"+pattern)...)
}

// count returns how many instructions of the kernels one call executes: qemu's log has a line for
// each.
func (c *counter) count(name, level string) (int, error) {
	command := c.benchmark("/^"+regexp.QuoteMeta(name)+"$/^"+level+"$", "-singlestep", "-d",
		"exec,nochain", "-dfilter", c.ranges)
	log, err := command.StderrPipe()
	if err != nil {
		return 0, err
	}
	if err := command.Start(); err != nil {
		return 0, err
	}
	n := 0
	for lines := bufio.NewScanner(log); lines.Scan(); {
		if bytes.HasPrefix(lines.Bytes(), []byte("Trace ")) {
			n++
		}
	}
	return n, command.Wait()
}
