package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// A scan is what one run of govulncheck judges: packages of a module for a platform, or a program.
type scan struct {
	name string
	dir  string
	env  []string
	args []string
	// A program has the library of the toolchain that compiled it, which no message names.
	program bool
}

// sources returns a scan of packages.
func sources(dir, system, tags string, packages ...string) scan {
	goos, arch, _ := strings.Cut(system, "/")
	name := dir + " for " + system
	if tags != "" {
		name += " with tags " + tags
	}
	return scan{name: name, dir: dir, env: []string{"GOOS=" + goos, "GOARCH=" + arch},
		args: append([]string{"-tags", tags}, packages...)}
}

// modules are all modules of the repository, and the builds that have code of their own: those of
// WebAssembly too, which govulncheck cannot read as programs.
var modules = []scan{
	sources(".", "linux/amd64", "", "./..."),
	sources(".", "linux/amd64", "gpu", "./onnxbackend/gpu", "./tools/cmd/...",
		"./tools/dev/bench/gpu"),
	sources(".", "js/wasm", "bagscope_simd", "./wasm/..."),
	sources(".", "js/wasm", "bagscope_simd,gpu", "./onnxbackend/gpu", "./wasm/..."),
	sources(".", "windows/amd64", "", "./tools/cmd/..."),
	sources(".", "darwin/arm64", "", "./tools/cmd/..."),
	sources("tools/cohort", "linux/amd64", "", "./...",
		"github.com/apache/beam/sdks/v2/go/container"),
	sources("tools/dev/release", "linux/amd64", "", "./..."),
	sources("tools/gen/kernels/amd64", "linux/amd64", "", "./..."),
	sources("tools/gen/kernels/arm64", "linux/amd64", "", "./..."),
}

// scansOf returns the scans of programs.
func scansOf(programs []string) []scan {
	var list []scan
	for _, file := range programs {
		list = append(list, scan{name: file, dir: ".", program: true,
			args: []string{"-mode", "binary", file}})
	}
	return list
}

// A finding is a vulnerability whose code is reached.
type finding struct {
	id, where string
	module    string // with its version
	fixed     string // the first version without the vulnerability, "" if there is none
}

// A scanner runs govulncheck with a database and a toolchain.
type scanner struct{ program, database, toolchain string }

// scan returns what govulncheck finds, each vulnerability once.
func (s scanner) scan(ctx context.Context, one scan) ([]finding, error) {
	args := append([]string{"-db", "file://" + s.database, "-format", "json"}, one.args...)
	c := exec.CommandContext(ctx, s.program, args...)
	c.Dir = one.dir
	c.Env = append(append(os.Environ(), "GOTOOLCHAIN="+s.toolchain, "GOWORK=off", "GOFLAGS="),
		one.env...)
	var problems bytes.Buffer
	c.Stderr = &problems
	out, err := c.Output()
	if err != nil {
		return nil, fmt.Errorf("govulncheck: %w: %s", err, strings.TrimSpace(problems.String()))
	}
	toolchain := s.toolchain
	if one.program {
		toolchain = ""
	}
	return parseFindings(bytes.NewReader(out), one.name, toolchain)
}

// parseFindings reads the messages of govulncheck -format json. Vulnerabilities of packages and
// modules whose code is not reached are ignored. It is an error if another toolchain was judged, or
// if the scan did not judge single functions.
func parseFindings(r io.Reader, where, toolchain string) ([]finding, error) {
	var found []finding
	var config struct {
		GoVersion string `json:"go_version"`
		ScanLevel string `json:"scan_level"`
	}
	for d := json.NewDecoder(r); ; {
		var message struct {
			Config  any
			Finding *struct {
				OSV   string
				Fixed string `json:"fixed_version"`
				Trace []struct{ Module, Version, Function string }
			}
		}
		message.Config = &config
		if err := d.Decode(&message); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, fmt.Errorf("the output of govulncheck: %w", err)
		}
		f := message.Finding
		if f == nil || len(f.Trace) == 0 || f.Trace[0].Function == "" ||
			slices.ContainsFunc(found, func(other finding) bool { return other.id == f.OSV }) {
			continue
		}
		found = append(found, finding{f.OSV, where, f.Trace[0].Module + " " + f.Trace[0].Version,
			f.Fixed})
	}
	if config.ScanLevel != "symbol" || config.GoVersion != toolchain {
		return nil, fmt.Errorf("govulncheck judged the level %q of %q instead of symbols of %s",
			config.ScanLevel, config.GoVersion, toolchain)
	}
	return found, nil
}

// An old module uses a version with a known vulnerability, whose report may not change its number.
const (
	oldID     = "GO-2026-6222"
	oldModule = "module example.com/old\n\ngo 1.26\n\nrequire golang.org/x/image v0.38.0\n"
	oldSums   = "golang.org/x/image v0.38.0 h1:5l+q+Y9JDC7mBOMjo4/aPhMDcxEptsX+Tt3GgRQRPuE=\n" +
		"golang.org/x/image v0.38.0/go.mod h1:/3f6vaXC+6CEanU4KJxbcUZyEePbyKbaLoDOe4ehFYY=\n"
	oldProgram = "package main\n\nimport (\n\t\"os\"\n\n\t\"golang.org/x/image/webp\"\n)\n\n" +
		"func main() { _, _ = webp.Decode(os.Stdin) }\n"
)

// check fails unless a known vulnerability is found in a module that is written to a folder: a scan
// that finds nothing because it does not work must not pass.
func (s scanner) check(ctx context.Context, folder string) error {
	for name, text := range map[string]string{"go.mod": oldModule, "go.sum": oldSums,
		"main.go": oldProgram} {
		if err := write([]byte(text), folder, name); err != nil {
			return err
		}
	}
	found, err := s.scan(ctx, scan{name: "the module of the check", dir: folder,
		args: []string{"."}})
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(found, func(f finding) bool { return f.id == oldID }) {
		return fmt.Errorf("%s is not found in a module that has it: the scan does not work", oldID)
	}
	return nil
}
