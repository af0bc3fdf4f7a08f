package arch

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
)

// benchPlaces are the folders of tests that measure speed.
var benchPlaces = []string{"www/tests/bench/", "tools/dev/bench/", "tools/python/tests/bench/",
	"tools/python/benchmarks/"}

// TestNoTestDependsOnSpeed reads all tests. A test must not sleep for a fixed time, nor compare a
// measured time with a limit: both fail or prove nothing on a slow machine. Tests wait for a
// condition, with a deadline of a minute or more against hangs. What measures speed is a Go
// function Benchmark* or lies in one of benchPlaces.
func TestNoTestDependsOnSpeed(t *testing.T) {
	root := filepath.Join("..", "..", "..")
	list := must.Get(exec.CommandContext(t.Context(), "git", "-C", root, "ls-files", "-co",
		"--exclude-standard").Output())(t)
	seen := 0
	for _, file := range strings.Fields(string(list)) {
		if !isTest(file) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(file)))
		if os.IsNotExist(err) {
			continue // removed, and not yet committed
		}
		must.Do(t, err)
		seen++
		for _, fault := range clockFaults(file, string(text)) {
			t.Errorf("%s:%s", file, fault)
		}
	}
	must.Equal(t, seen >= 300, true, seen)
}

// isTest reports whether a file has tests that must not depend on speed.
func isTest(file string) bool {
	if slices.ContainsFunc(benchPlaces, func(p string) bool { return strings.HasPrefix(file, p) }) {
		return false
	}
	switch path.Ext(file) {
	case ".go":
		return strings.HasSuffix(file, "_test.go")
	case ".py":
		return strings.Contains(file, "/tests/")
	case ".ts", ".mjs":
		return strings.Contains(file, "/test/") || strings.Contains(file, "/tests/") ||
			strings.Contains(file, ".test.")
	}
	return false
}

// clockFaults returns what a test does that depends on speed, each with its line.
func clockFaults(file, text string) []string {
	switch path.Ext(file) {
	case ".go":
		return goFaults(file, text)
	case ".py":
		return lineFaults(text, pythonClock)
	}
	return lineFaults(text, scriptClock)
}

// goFaults checks a Go file by its syntax.
func goFaults(file, text string) (faults []string) {
	files := token.NewFileSet()
	f, err := parser.ParseFile(files, "", text, parser.SkipObjectResolution)
	if err != nil {
		return []string{err.Error()}
	}
	for _, d := range f.Decls {
		if function, ok := d.(*ast.FuncDecl); ok &&
			strings.HasPrefix(function.Name.Name, "Benchmark") {
			continue
		}
		c := &clockReader{moments: map[string]bool{}, measured: map[string]bool{},
			benchmarks: strings.HasSuffix(file, "bench_test.go"),
			report: func(n ast.Node, what string) {
				faults = append(faults, fmt.Sprintf("%d: %s", files.Position(n.Pos()).Line, what))
			}}
		ast.Walk(clockVisitor{c, false}, d)
	}
	return faults
}

// A clockReader reads one function. It follows times through local variables.
type clockReader struct {
	moments    map[string]bool // variables with a result of time.Now
	measured   map[string]bool // variables with a difference of times
	benchmarks bool            // the file has benchmarks alone, and their helpers
	report     func(n ast.Node, what string)
}

// A clockVisitor reports faults. waits is whether the innermost loop of the same function is a for
// statement with a condition, or with none. A loop over a range has a fixed number of pauses.
type clockVisitor struct {
	*clockReader
	waits bool
}

func (c clockVisitor) Visit(n ast.Node) ast.Visitor {
	switch n := n.(type) {
	case *ast.FuncLit, *ast.RangeStmt:
		return clockVisitor{c.clockReader, false}
	case *ast.ForStmt:
		return clockVisitor{c.clockReader, true}
	case *ast.CallExpr:
		if isCall(n, "time", "Sleep") && !c.waits {
			c.report(n, "time.Sleep outside of a loop that waits for a condition")
		}
		if isCall(n, "syscall", "Getrusage") && !c.benchmarks {
			c.report(n, "processor time is for benchmarks, in files *bench_test.go")
		}
	case *ast.AssignStmt:
		for i, left := range n.Lhs {
			name, ok := left.(*ast.Ident)
			right := n.Rhs[min(i, len(n.Rhs)-1)]
			if ok && isCall(right, "time", "Now") {
				c.moments[name.Name] = true
			}
			if ok && c.measures(right) {
				c.measured[name.Name] = true
			}
		}
	case *ast.BinaryExpr:
		if slices.Contains([]token.Token{token.LSS, token.GTR, token.LEQ, token.GEQ}, n.Op) &&
			(c.measures(n.X) || c.measures(n.Y)) {
			c.report(n, "a measured time is compared; make it a benchmark")
		}
	}
	return c
}

// measures reports whether an expression contains a measured time.
func (c *clockReader) measures(e ast.Expr) (found bool) {
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.Ident:
			found = found || c.measured[n.Name]
		case *ast.CallExpr:
			found = found || isCall(n, "time", "Since")
			if s, ok := n.Fun.(*ast.SelectorExpr); ok && s.Sel.Name == "Sub" && len(n.Args) == 1 {
				found = found || c.isMoment(s.X) || c.isMoment(n.Args[0])
			}
		}
		return !found
	})
	return found
}

func (c *clockReader) isMoment(e ast.Expr) bool {
	name, ok := e.(*ast.Ident)
	return ok && c.moments[name.Name] || isCall(e, "time", "Now")
}

// isCall reports whether an expression calls a function of a package.
func isCall(e ast.Expr, pkg, function string) bool {
	call, ok := e.(*ast.CallExpr)
	if !ok {
		return false
	}
	s, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || s.Sel.Name != function {
		return false
	}
	name, ok := s.X.(*ast.Ident)
	return ok && name.Name == pkg
}

// clockPatterns find faults in the lines of a language whose blocks are indented.
type clockPatterns struct {
	never    *regexp.Regexp // pauses that are faults everywhere; nil for none
	pause    *regexp.Regexp // pauses that are faults outside of a loop
	loop     *regexp.Regexp // the first line of a loop
	function *regexp.Regexp // the first line of a function
	elapsed  *regexp.Regexp // a difference of times
	assigned *regexp.Regexp // a variable that gets one
	asserted *regexp.Regexp // a line that compares in an assertion
}

var (
	pythonClock = clockPatterns{
		pause:    regexp.MustCompile(`\btime\.sleep\(|\bwait_for_timeout\(`),
		loop:     regexp.MustCompile(`^\s*(while|for)\b`),
		function: regexp.MustCompile(`^\s*(async )?def\b`),
		elapsed:  regexp.MustCompile(`(perf_counter|monotonic|process_time)\(\) - `),
		assigned: regexp.MustCompile(`^\s*(\w+) = .*(perf_counter|monotonic|process_time)\(\) - `),
		asserted: regexp.MustCompile(`^\s*assert\b.*[<>]`),
	}
	scriptClock = clockPatterns{
		never: regexp.MustCompile(`\bwaitForTimeout\(`),
		pause: regexp.MustCompile(
			`await new Promise\(.*setTimeout\(|await (sleep|pause|delay)\(`),
		loop:     regexp.MustCompile(`^\s*(\} )?(while|for|do)\b`),
		function: regexp.MustCompile(`^\s*(export )?(async )?function\b|=> \{\s*$`),
		elapsed:  regexp.MustCompile(`(performance|Date)\.now\(\) - `),
		assigned: regexp.MustCompile(`\b(\w+) = .*(performance|Date)\.now\(\) - `),
		asserted: regexp.MustCompile(`\b(assert|expect)\b.*([^=]>|<|toBe(Less|Greater)Than)`),
	}
)

// lineFaults checks a file line by line.
func lineFaults(text string, p clockPatterns) (faults []string) {
	lines := strings.Split(text, "\n")
	var measured []*regexp.Regexp
	for i, line := range lines {
		report := func(what string) { faults = append(faults, fmt.Sprintf("%d: %s", i+1, what)) }
		if p.never != nil && p.never.MatchString(line) ||
			p.pause.MatchString(line) && !p.waits(lines, i) {
			report("a pause outside of a loop that waits for a condition")
		}
		if found := p.assigned.FindStringSubmatch(line); found != nil {
			measured = append(measured, regexp.MustCompile(`\b`+found[1]+`\b`))
		}
		if p.asserted.MatchString(line) && (p.elapsed.MatchString(line) ||
			slices.ContainsFunc(measured, func(v *regexp.Regexp) bool {
				return v.MatchString(line)
			})) {
			report("a measured time is compared; move it to the benchmarks")
		}
	}
	return faults
}

// waits reports whether line i is in a loop of its function.
func (p clockPatterns) waits(lines []string, i int) bool {
	indent := func(s string) int { return len(s) - len(strings.TrimLeft(s, " \t")) }
	within := indent(lines[i])
	if p.loop.MatchString(lines[i]) {
		return true
	}
	for i--; i >= 0; i-- {
		line := lines[i]
		if strings.TrimSpace(line) == "" || indent(line) >= within {
			continue
		}
		within = indent(line)
		switch {
		case p.loop.MatchString(line):
			return true
		case p.function.MatchString(line):
			return false
		}
	}
	return false
}

// TestClockFaults checks the rules with snippets that must fail and snippets that must pass.
func TestClockFaults(t *testing.T) {
	function := func(body string) string { return "package p\nfunc TestX() {\n" + body + "\n}\n" }
	for _, c := range []struct {
		name, file, text string
		faults           int
	}{
		{"a pause", "a_test.go", function("time.Sleep(x)"), 1},
		{"a pause in a case of a table", "a_test.go",
			function("for i := 0; i < 3; i++ { f(func() { time.Sleep(x) }) }"), 1},
		{"a fixed number of pauses", "a_test.go", function("for range 9 { time.Sleep(x) }"), 1},
		{"a loop that waits", "a_test.go", function("for !ok() { time.Sleep(x) }"), 0},
		{"a pause as the step of a loop", "a_test.go",
			function("for ; !ok(); time.Sleep(x) { f() }"), 0},
		{"time since", "a_test.go", function("if time.Since(a) > b { f() }"), 1},
		{"a variable of time since", "a_test.go",
			function("d := max(d, time.Since(a)); if d >= b { f() }"), 1},
		{"a condition with its variable", "a_test.go",
			function("if d := time.Since(a); b < d { f() }"), 1},
		{"a difference of times", "a_test.go",
			function("a := time.Now(); if end.Sub(a) < b { f() }"), 1},
		{"a difference of points", "a_test.go", function("if p.Sub(q) < b { f() }"), 0},
		{"a deadline", "a_test.go",
			function("end := time.Now().Add(m); if time.Now().After(end) { f() }"), 0},
		{"a logged time", "a_test.go", function("t.Log(time.Since(a))"), 0},
		{"processor time", "a_test.go", function("syscall.Getrusage(0, &u)"), 1},
		{"processor time of a benchmark", "a_bench_test.go", function("syscall.Getrusage(0, &u)"),
			0},
		{"a benchmark", "a_test.go",
			"package p\nfunc BenchmarkX() { time.Sleep(x); if time.Since(a) > b { f() } }", 0},

		{"a pause", "a.py", "def test() -> None:\n    time.sleep(0.2)\n", 1},
		{"a function in a loop", "a.py", "for x in y:\n    def f():\n        time.sleep(1)\n", 1},
		{"a loop", "a.py", "def f():\n    while x:\n        if y:\n            time.sleep(1)\n", 0},
		{"a pause of a page", "a.py", "page.wait_for_timeout(2000)\n", 1},
		{"a limit", "a.py", "    assert time.monotonic() - start < 3\n", 1},
		{"a limit of a variable", "a.py", "a = time.perf_counter() - b\nassert a < 3\n", 1},
		{"a deadline", "a.py", "    assert time.monotonic() < end, 'it hangs'\n", 0},

		{"a pause of a page", "a.test.ts", "  await page.waitForTimeout(50);\n", 1},
		{"a pause", "a.test.ts", "  await new Promise((done) => setTimeout(done, 50));\n", 1},
		{"a loop", "a.test.ts",
			"  while (!x) {\n    await new Promise((done) => setTimeout(done, 5));\n  }\n", 0},
		{"a loop of one line", "a.test.ts",
			"  while (!x) await new Promise((done) => setTimeout(done, 5));\n", 0},
		{"a limit", "a.test.mjs", "  assert.ok(performance.now() - start < 100);\n", 1},
		{"a limit of a variable", "a.test.ts",
			"  const ms = performance.now() - a;\n  expect(ms).toBeLessThan(100);\n", 1},
		{"a deadline", "a.test.ts", "  if (Date.now() - start > patience) throw e;\n", 0},
	} {
		t.Run(c.file+" "+c.name, func(t *testing.T) {
			must.Equal(t, len(clockFaults(c.file, c.text)), c.faults, c.text)
		})
	}
}
