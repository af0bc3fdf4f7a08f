package gpu

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend/internal/ops"
)

// ignored are attributes that a device kernel need not read, by operator, with the reason.
var ignored = map[string]map[string]string{
	"BatchNormalization": {
		"momentum":      "only training uses it",
		"spatial":       "NewBatchNormalization refuses other values when the graph is built",
		"training_mode": "NewBatchNormalization refuses other values when the graph is built",
	},
	"GroupNormalization": {"stash_type": stashed},
	"LayerNormalization": {"stash_type": stashed},
	"MaxPool": {
		"storage_order": "it is the order of the second output, and session.Run leaves nodes " +
			"with two outputs to the CPU",
	},
	"RMSNormalization": {"stash_type": stashed},
}

// stashed is why no kernel reads stash_type, the type of intermediate results.
const stashed = "all types that the specification allows round more than float32 or as it does"

// TestKernelsReadAllAttributes checks that the functions of each device kernel read every attribute
// that the operator table declares. An attribute that a kernel does not read has no effect on the
// device, so that the results of the device and of the CPU differ.
//
// The test follows calls in the sources of packages gpu and compute by the names of functions. It
// needs no device and no build tag. A kernel that calls the CPU's function of the node reads what
// that function reads.
func TestKernelsReadAllAttributes(t *testing.T) {
	source := readSource(t, ".", filepath.Join("..", "internal", "compute"))
	excused := 0
	for _, name := range ops.Names() {
		row := ops.Lookup("", name)
		if row.Device == "" {
			continue
		}
		kernel, ok := source.kernels[row.Device]
		if !ok {
			t.Errorf("%s: package gpu has no kernel %q", name, row.Device)
			continue
		}
		read, onCPU := source.attributes(kernel)
		if onCPU {
			continue
		}
		for _, attribute := range row.AttributeNames() {
			reason := ignored[name][attribute]
			switch {
			case read[attribute] && reason != "":
				t.Errorf("%s: the kernel reads %s, but the test excuses it", name, attribute)
			case !read[attribute] && reason == "":
				t.Errorf("%s: the kernel %q does not read the attribute %s; read it, or leave "+
					"nodes that have it to the CPU", name, row.Device, attribute)
			case !read[attribute]:
				excused++
			}
		}
	}
	total := 0
	for _, list := range ignored {
		total += len(list)
	}
	must.Equal(t, excused, total)
}

// source is what the test knows of functions: their bodies, and the kernels.
type source struct {
	// bodies has the functions as "package.name", and methods of all types as ".name".
	bodies  map[string][]body
	kernels map[string]body // what records a device kernel, by the kernel's name
}

// A body is a piece of source in a package.
type body struct {
	in   string // the package
	node ast.Node
}

// readSource parses the folders' files for all build tags, without tests.
func readSource(t *testing.T, folders ...string) *source {
	t.Helper()
	s := &source{bodies: map[string][]body{}, kernels: map[string]body{}}
	tables := map[string]*ast.CompositeLit{}
	for _, folder := range folders {
		files, err := filepath.Glob(filepath.Join(folder, "*.go"))
		must.Do(t, err, folder)
		must.Equal(t, len(files) != 0, true, folder)
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			f := must.Get(parser.ParseFile(token.NewFileSet(), file, nil,
				parser.SkipObjectResolution))(t)
			s.addFile(f)
			if folder == "." {
				maps.Copy(tables, tablesOf(f))
			}
		}
	}
	for _, table := range []string{"kernels", "functions", "binaries"} {
		must.Equal(t, tables[table] != nil, true, table)
	}
	// init gives each entry of binaries and functions a kernel; the entry itself reads attributes.
	for name := range entries(tables["binaries"]) {
		s.kernels[name] = body{"gpu", ast.NewIdent("arithmetic")}
	}
	for _, table := range []string{"functions", "kernels"} {
		for name, value := range entries(tables[table]) {
			s.kernels[name] = body{"gpu", value}
		}
	}
	return s
}

func (s *source) addFile(f *ast.File) {
	for _, d := range f.Decls {
		d, ok := d.(*ast.FuncDecl)
		if !ok || d.Body == nil {
			continue
		}
		key := "." + d.Name.Name
		if d.Recv == nil {
			key = f.Name.Name + key
		}
		s.bodies[key] = append(s.bodies[key], body{f.Name.Name, d.Body})
	}
}

// tablesOf returns the map literals of a file by the name of the variable that holds them.
func tablesOf(f *ast.File) map[string]*ast.CompositeLit {
	tables := map[string]*ast.CompositeLit{}
	add := func(name ast.Expr, value ast.Expr) {
		id, named := name.(*ast.Ident)
		lit, literal := value.(*ast.CompositeLit)
		if named && literal {
			if _, isMap := lit.Type.(*ast.MapType); isMap {
				tables[id.Name] = lit
			}
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ValueSpec:
			for i, v := range n.Values {
				add(n.Names[i], v)
			}
		case *ast.AssignStmt:
			for i, v := range n.Rhs {
				add(n.Lhs[i], v)
			}
		}
		return true
	})
	return tables
}

// entries returns the values of a map literal whose keys are strings.
func entries(table *ast.CompositeLit) map[string]ast.Node {
	list := map[string]ast.Node{}
	for _, e := range table.Elts {
		pair := e.(*ast.KeyValueExpr)
		if key, err := strconv.Unquote(pair.Key.(*ast.BasicLit).Value); err == nil {
			list[key] = pair.Value
		}
	}
	return list
}

// attributes returns the attributes that a piece of source reads, with all functions that it calls,
// and whether it calls the CPU's function of the node (call.function).
func (s *source) attributes(start body) (read map[string]bool, onCPU bool) {
	read = map[string]bool{}
	seen := map[string]bool{}
	var visit func(body)
	follow := func(key string) {
		if !seen[key] {
			seen[key] = true
			for _, b := range s.bodies[key] {
				visit(b)
			}
		}
	}
	visit = func(at body) {
		ast.Inspect(at.node, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			if name, ok := attributeRead(call); ok {
				read[name] = true
				return true
			}
			onCPU = onCPU || callsFunction(call)
			follow(calledBy(call, at.in))
			return true
		})
	}
	if id, ok := start.node.(*ast.Ident); ok {
		follow(start.in + "." + id.Name)
	} else {
		visit(start)
	}
	return read, onCPU
}

// calledBy returns the key of what a call in a package calls.
func calledBy(call *ast.CallExpr, in string) string {
	switch f := call.Fun.(type) {
	case *ast.Ident:
		return in + "." + f.Name
	case *ast.SelectorExpr:
		if x, ok := f.X.(*ast.Ident); ok && x.Name == "compute" {
			return "compute." + f.Sel.Name
		}
		return "." + f.Sel.Name
	}
	return ""
}

// callsFunction reports whether a call calls the field function of a call.
func callsFunction(call *ast.CallExpr) bool {
	field, ok := call.Fun.(*ast.SelectorExpr)
	return ok && field.Sel.Name == "function"
}

// readers are the methods of compute.Node that read the attribute that their first argument names.
var readers = []string{"Int", "Ints", "Float", "Text"}

// attributeRead returns the attribute that a call of a reader names.
func attributeRead(call *ast.CallExpr) (string, bool) {
	method, isMethod := call.Fun.(*ast.SelectorExpr)
	if !isMethod || len(call.Args) == 0 || !slices.Contains(readers, method.Sel.Name) {
		return "", false
	}
	literal, ok := call.Args[0].(*ast.BasicLit)
	if !ok {
		return "", false
	}
	name, err := strconv.Unquote(literal.Value)
	return name, err == nil
}

// TestAttributesOfKernels checks that the search follows the calls of a kernel and no others: a
// search that reaches too much would excuse every attribute.
func TestAttributesOfKernels(t *testing.T) {
	source := readSource(t, ".", filepath.Join("..", "internal", "compute"))
	for kernel, want := range map[string][]string{
		"gelu":    {"approximate"},
		"softmax": {"axis"},
		"gemm":    {"alpha", "beta", "transA", "transB"},
		"tanh":    nil,
	} {
		read, _ := source.attributes(source.kernels[kernel])
		must.EqualSlices(t, slices.Sorted(maps.Keys(read)), want, kernel)
	}
	if _, onCPU := source.attributes(source.kernels["view"]); !onCPU {
		t.Error("view does not call the CPU's function")
	}
	if _, onCPU := source.attributes(source.kernels["conv"]); onCPU {
		t.Error("conv calls the CPU's function")
	}
}
