package arch

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/tools/dev/sizes"
)

// A rule says what the packages at a place may import: other places of the module, other modules,
// and which packages of the standard library they may not.
type rule struct {
	place   string
	own     []string
	modules []string
	without []string // packages of the standard library
}

const (
	gonum     = "gonum.org/v1/gonum"
	protowire = "google.golang.org/protobuf/encoding/protowire"
	safejs    = "github.com/hack-pad/safejs"
	fastjson  = "github.com/valyala/fastjson"
	syscpu    = "golang.org/x/sys/cpu"
	ximage    = "golang.org/x/image"
	xtext     = "golang.org/x/text"
	compress  = "github.com/klauspost/compress"
	xz        = "github.com/therootcompany/xz"
	onnxgo    = "github.com/owulveryck/onnx-go"
	gtensor   = "gorgonia.org/tensor"
	gorgonia  = "gorgonia.org/gorgonia"
	plot      = "gonum.org/v1/plot"
	arrow     = "github.com/apache/arrow"
	cobra     = "github.com/spf13/cobra"
	pflag     = "github.com/spf13/pflag" // the flags of cobra's commands
	qr        = "rsc.io/qr"
	bbolt     = "go.etcd.io/bbolt"
	metrics   = "github.com/VictoriaMetrics/metrics"
	wazero    = "github.com/tetratelabs/wazero"
	webgpu    = "github.com/cogentcore/webgpu/wgpu"
)

// machine lists the packages that core and the engine must not import. They need an operating
// system, or make the program for browsers large.
var machine = []string{"os", "net", "syscall", "encoding/json"}

// importRules is the table of allowed imports. The longest place that contains a package applies to
// it. A package may always import packages of the same place.
var importRules = []rule{
	{place: "core", own: []string{"core/internal/linear", "core/internal/rows",
		"core/internal/stats", "core/quota"}, without: machine},
	{place: "core/internal/linear", without: machine},
	{place: "core/internal/rows", without: machine},
	{place: "core/internal/stats", own: []string{"core/internal/linear"}, without: machine},
	{place: "core/internal/sampling", own: []string{"core", "core/internal/rows"},
		without: machine},
	{place: "core/internal/surrogate", own: []string{"core", "core/internal/linear",
		"core/internal/rows", "core/internal/stats"}, without: machine},
	{place: "core/internal/games", own: []string{"core"}, without: machine},
	{place: "core/methods", own: []string{"core", "core/internal/linear", "core/internal/rows",
		"core/internal/sampling", "core/internal/stats", "core/internal/surrogate"},
		without: machine},
	{place: "core/whatif", own: []string{"core", "core/methods", "core/internal/linear",
		"core/internal/rows", "core/internal/sampling", "core/internal/stats",
		"core/internal/surrogate", "core/quota"}, without: machine},
	{place: "core/metric", own: []string{"core", "core/methods", "core/whatif",
		"core/internal/stats"},
		without: machine},
	{place: "core/draw", own: []string{"core", "core/methods", "internal/csvfile"},
		modules: []string{ximage, xtext}, without: machine},
	{place: "core/bagio", own: []string{"core", "core/internal/jpegframe", "core/dicom",
		"core/internal/jsonvalues", "core/internal/packed", "core/internal/webpframe",
		"core/internal/zarr", "core/internal/zipfile", "core/slide"},
		modules: []string{fastjson, ximage, compress, xz}, without: machine},
	{place: "core/dicom", own: []string{"core", "core/codec", "core/internal/jpegframe"},
		modules: []string{compress}, without: machine},
	{place: "core/dicomout", own: []string{"core", "core/dicom", "core/draw"}, without: machine},
	{place: "core/codec", modules: []string{wazero}, without: machine},
	{place: "core/slide", own: []string{"core", "core/codec", "core/dicom",
		"core/internal/jpegframe", "core/internal/packed", "core/internal/webpframe",
		"core/internal/zarr", "core/internal/zipfile"},
		modules: []string{fastjson, ximage, compress, xz}, without: machine},
	{place: "core/internal/packed", modules: []string{compress, xz}, without: machine},
	{place: "core/internal/zarr", own: []string{"core/internal/packed"},
		modules: []string{fastjson}, without: machine},
	{place: "core/internal/zipfile", modules: []string{compress}, without: machine},
	{place: "core/internal/jpegframe", without: machine},
	{place: "core/internal/jsonvalues", without: machine},
	{place: "core/internal/webpframe", modules: []string{ximage}, without: machine},
	{place: "core/patches", own: []string{"core", "core/annotation", "core/bagio", "core/slide"},
		without: machine},
	{place: "core/geojson", own: []string{"core", "core/draw", "core/internal/jsonvalues"},
		modules: []string{fastjson}, without: machine},
	{place: "core/annotation", own: []string{"core", "core/geojson", "core/slide"},
		without: machine},
	{place: "core/heatmap", own: []string{"core", "core/draw"}, without: machine},
	{place: "core/coretest", own: []string{"core"}, modules: []string{gonum}, without: machine},
	{place: "onnxbackend", own: []string{"core", "onnxbackend/internal/compute",
		"onnxbackend/internal/ops"}, modules: []string{protowire, fastjson, syscpu},
		without: machine},
	// The functions of operators know nothing of the rules of operators.
	{place: "onnxbackend/internal/compute", own: []string{"core", "onnxbackend"}, without: machine},
	{place: "onnxbackend/internal/ops", own: []string{"onnxbackend",
		"onnxbackend/internal/compute"}, without: machine},
	// The layer between the core with its models and their faces.
	{place: "onnxbackend/ask", own: []string{"core", "core/methods", "core/whatif", "core/metric",
		"core/annotation", "core/bagio", "core/dicomout", "core/geojson",
		"core/patches", "core/slide", "onnxbackend"}, without: machine},
	// Only tests import it.
	{place: "onnxbackend/internal/enginetest", own: []string{"core", "onnxbackend",
		"internal/must", "internal/testfile"}},
	{place: "onnxbackend/onnxgo", own: []string{"onnxbackend"},
		modules: []string{onnxgo, gtensor, gonum}, without: machine},
	// Only builds with the tag gpu depend on the graphics processor.
	{place: "onnxbackend/gpu", own: []string{"onnxbackend", "onnxbackend/internal/compute",
		"onnxbackend/internal/ops"}, modules: []string{webgpu, safejs}, without: machine},
	{place: "internal/testfile"},                                   // only tests import it
	{place: "internal/damage"},                                     // only tests import it
	{place: "internal/must"},                                       // only tests import it
	{place: "internal/advice", own: []string{"internal/testfile"}}, // only tests import it
	{place: "internal/atomicfile"},
	{place: "internal/msg", without: machine},       // any place may import it
	{place: "internal/kind", without: machine},      // any place may import it
	{place: "internal/otherfile", without: machine}, // any place may import it
	{place: "internal/oklab", without: machine},
	{place: "internal/csvfile", without: machine},
	{place: "internal/source"}, // only generators import it
	{place: "wasm", own: []string{"core", "core/methods", "core/metric", "core/draw", "core/bagio",
		"core/annotation", "core/codec", "core/dicom", "core/dicomout", "core/geojson",
		"core/heatmap", "core/patches", "core/slide", "onnxbackend", "onnxbackend/ask",
		"onnxbackend/gpu"}, modules: []string{safejs}},
	{place: "wasm/wire/gen", own: []string{"core", "core/methods", "core/whatif", "core/bagio",
		"core/draw", "core/metric", "internal/source",
		"onnxbackend/ask", "wasm"}},
	{place: "examples", own: []string{"core", "core/metric", "core/draw", "core/bagio",
		"onnxbackend"}},
	{place: "examples/onnx-go", own: []string{"core", "core/bagio", "onnxbackend",
		"onnxbackend/onnxgo"}, modules: []string{onnxgo, gtensor}},
	{place: "tools", own: []string{"core", "core/methods", "core/whatif", "onnxbackend",
		"onnxbackend/gpu", "core/metric",
		"core/draw", "core/bagio", "core/coretest", "core/annotation", "core/geojson",
		"core/slide", "onnxbackend/ask", "tools/service/jsontext",
		"tools/service/jobs", "tools/service/oip", "tools/service/site", "tools/service/server",
		"core/heatmap", "tools/service/slidefiles", "tools/service/slidetable",
		"tools/cmd/internal", "tools/train/dataset", "tools/train/study", "internal/atomicfile",
		"internal/oklab",
		"internal/csvfile", "internal/source"}, modules: []string{"."}},
	// The commands for every day must not link the libraries of training and plotting.
	{place: "tools/cmd/internal", own: []string{"core", "core/methods", "core/bagio",
		"core/annotation", "core/geojson",
		"core/metric", "core/patches", "core/slide", "internal/csvfile", "onnxbackend",
		"onnxbackend/gpu", "onnxbackend/ask", "tools/service/jsontext", "tools/service/oip",
		"tools/service/slidefiles"}, modules: []string{cobra, pflag}},
	// The engine of embedding programs speaks the messages of the browser.
	{place: "tools/cmd/internal/engine", own: []string{"core", "core/bagio", "core/metric",
		"internal/csvfile", "onnxbackend", "onnxbackend/ask", "tools/cmd/internal",
		"tools/service/jsontext", "wasm"}},
	{place: "tools/cmd/bagscope", own: []string{"core", "core/methods", "core/annotation",
		"core/bagio", "core/draw", "core/dicom", "core/dicomout", "core/geojson", "core/heatmap",
		"core/metric", "onnxbackend", "tools/cmd/internal",
		"tools/cmd/internal/engine", "onnxbackend/ask", "tools/service/jsontext",
		"tools/service/oip", "tools/service/jobs", "tools/service/server",
		"tools/service/slidefiles", "tools/service/slidetable", "tools/train/study"},
		modules: []string{cobra, pflag, qr}},
	{place: "tools/train/dataset", own: []string{"core", "core/methods", "core/bagio",
		"core/patches", "core/slide",
		"tools"},
		modules: []string{gonum}},
	{place: "tools/train/study", own: []string{"core", "core/methods", "core/metric",
		"tools/train/dataset",
		"internal/atomicfile", "internal/csvfile"}},
	{place: "tools/service/jsontext", own: []string{"onnxbackend/ask"},
		without: []string{"os", "net", "syscall"}},
	{place: "tools/service/site"},
	{place: "tools/service/slidefiles", own: []string{"core", "core/bagio", "core/heatmap",
		"core/slide", "onnxbackend/ask"}},
	{place: "tools/service/slidetable"},
	{place: "tools/service/jobs", modules: []string{bbolt}},
	{place: "tools/service/oip", own: []string{"core", "onnxbackend", "onnxbackend/ask",
		"tools/service/jsontext"}},
	{place: "tools/service/server", own: []string{"core", "core/bagio", "core/draw",
		"core/dicomout", "core/geojson", "core/slide", "onnxbackend", "onnxbackend/ask",
		"tools/service/jsontext",
		"tools/service/jobs", "tools/service/oip", "tools/service/site"},
		modules: []string{metrics}},
}

// TestImportsFollowTable fails on an import that the table does not allow.
func TestImportsFollowTable(t *testing.T) {
	module := must.Get(openTree("../../.."))(t)
	packages := must.Get(module.packages())(t)
	must.Equal(t, len(packages) >= 3, true, len(packages), module.root)
	for _, pkg := range packages {
		place, _ := within(pkg, modulePath)
		r := ruleOf(place)
		if r == nil {
			t.Errorf("no place contains %s; add it to the table and to ARCHITECTURE.md", pkg)
			continue
		}
		for _, on := range []platform{native, browser, native.with("gpu"), browser.with("gpu")} {
			code, tests, err := module.imports(pkg, on)
			if err != nil {
				t.Fatal(err)
			}
			for _, imported := range code {
				if why := r.forbids(imported); why != "" {
					t.Errorf("%s (%s) imports %s: %s", pkg, on.os, imported, why)
				}
			}
			// Tests may use any library, and any place except tools.
			for _, imported := range tests {
				if own, ok := within(imported, modulePath); ok && !toolsPlace(r) &&
					toolsPlace(ruleOf(own)) {
					t.Errorf("a test of %s imports %s: nothing but tools may", pkg, imported)
				}
			}
		}
	}
}

// TestRules checks the table with allowed and forbidden imports.
func TestRules(t *testing.T) {
	for _, c := range []struct {
		from, to string
		allowed  bool
	}{
		{"core", "math", true},
		{"core", gonum + "/mat", false},
		{"core", "os", false},
		{"core", "os/exec", false},
		{"core", "net/http", false},
		{"core", "oslike", true},
		{"core", modulePath + "/onnxbackend", false},
		{"core", modulePath + "/core/bagio", false},
		{"core", "gonum.org/v1/gonumerics", false},
		{"core/bagio", modulePath + "/core", true},
		{"core/bagio", modulePath + "/core/draw", false},
		{"core/bagio", gonum + "/mat", false},
		{"onnxbackend", modulePath + "/onnxbackend/kernel", true},
		{"onnxbackend/kernel", modulePath + "/onnxbackend", true},
		{"onnxbackend/internal/ops", modulePath + "/onnxbackend/internal/compute", true},
		{"onnxbackend/internal/compute", modulePath + "/onnxbackend/internal/ops", false},
		{"onnxbackend", "google.golang.org/protobuf/proto", false},
		{"onnxbackend", "encoding/json", false},
		{"onnxbackend", onnxgo, false},
		{"onnxbackend", modulePath + "/onnxbackend/onnxgo", false},
		{"onnxbackend/onnxgo", modulePath + "/onnxbackend/internal/graph", true},
		{"onnxbackend", webgpu, false},
		{"onnxbackend", modulePath + "/onnxbackend/gpu", false},
		{"onnxbackend/gpu", webgpu, true},
		{"onnxbackend/gpu", "os", false},
		{"examples/digits", onnxgo, false},
		{"wasm", safejs, true},
		{"wasm", modulePath + "/onnxbackend/onnxgo", false},
		{"wasm", modulePath + "/tools/gen/digits", false},
		{"tools/cmd/bagscope", "github.com/spf13/cobra", true},
		{"tools/cmd/bagscope", modulePath + "/wasm", false},
		{"tools/cmd/bagscope", "net/http", true},
		{"tools/train", gorgonia, true},
		{"tools/cmd/bagscope", gorgonia, false},
		{"tools/cmd/bagscope", plot, false},
		{"tools/cmd/bagscope-train", gorgonia, true},
		{"tools/cmd/bagscope", modulePath + "/tools/service/server", true},
		{"tools/service/server", modulePath + "/onnxbackend/ask", true},
		{"tools/service/server", modulePath + "/tools/train", false},
		{"tools/service/server", modulePath + "/tools/service/jobs", true},
		{"tools/service/server", bbolt, false},
		{"tools/service/jobs", bbolt, true},
		{"tools/service/jobs", modulePath + "/core", false},
		{"tools/service/oip", modulePath + "/onnxbackend/ask", true},
		{"tools/service/oip", modulePath + "/tools/service/server", false},
		{"tools/service/server", "github.com/spf13/cobra", false},
		{"tools/service/server", metrics, true},
		{"onnxbackend/ask", modulePath + "/tools/service/server", false},
		{"onnxbackend/ask", "net/http", false},
		{"wasm", modulePath + "/onnxbackend/ask", true},
		{"core", modulePath + "/onnxbackend/ask", false},
		{"core", modulePath + "/tools/service/site", false},
		{"core", gorgonia, false},
		{"onnxbackend", gorgonia, false},
		{"onnxbackend/onnxgo", gorgonia, false},
		{"wasm", gorgonia, false},
	} {
		why := ruleOf(c.from).forbids(c.to)
		must.Equal(t, why == "", c.allowed, c.from, c.to, why)
	}
	must.Equal(t, ruleOf("corelike") == nil, true, "a folder outside of all places has a rule")
	must.Equal(t, ruleOf("") == nil, true, "a folder outside of all places has a rule")
}

// TestBrowserProgramIsSmall fails when the program for browsers links what would double its size.
func TestBrowserProgramIsSmall(t *testing.T) {
	module := must.Get(openTree("../../.."))(t)
	from := must.Get(module.reach(modulePath+"/wasm", browser))(t)
	if _, ok := from[modulePath+"/core"]; !ok || len(from) < 30 {
		t.Fatalf("the program reaches only %d packages, core among them: %v; the search is broken",
			len(from), ok)
	}
	for _, large := range []string{"encoding/json", "net/http", "text/template", "html/template",
		"go/ast", "google.golang.org/protobuf/proto", onnxgo, gtensor, gorgonia} {
		if _, linked := from[large]; linked {
			t.Errorf("the browser's program links %s through %s", large, chain(from, large))
		}
	}
}

// heavy are the libraries of bagscope-train. They would double the size of bagscope.
var heavy = []string{gorgonia, gtensor, plot, arrow}

// TestBagscopeLinksNoTraining fails if the everyday commands link a library of bagscope-train.
func TestBagscopeLinksNoTraining(t *testing.T) {
	module := must.Get(openTree("../../.."))(t)
	from := must.Get(module.reach(modulePath+"/tools/cmd/bagscope", native))(t)
	if _, ok := from[modulePath+"/tools/service/server"]; !ok || len(from) < 100 {
		t.Fatalf(
			"bagscope reaches only %d packages, the server among them: %v; the search is broken",
			len(from), ok)
	}
	for pkg := range from {
		for _, h := range heavy {
			if _, ok := within(pkg, h); ok {
				t.Errorf("bagscope links %s through %s", pkg, chain(from, pkg))
			}
		}
	}
	train := must.Get(module.reach(modulePath+"/tools/cmd/bagscope-train", native))(t)
	for _, h := range []string{gorgonia, plot} {
		if _, ok := train[h]; !ok {
			t.Errorf("bagscope-train does not link %s, so the test above cannot fail for it", h)
		}
	}
}

// TestBagscopeIsSmall compares the size of bagscope, stripped, for Linux on amd64, with the
// recorded one.
func TestBagscopeIsSmall(t *testing.T) {
	if testing.Short() {
		t.Skip("links the program")
	}
	file := filepath.Join(t.TempDir(), "bagscope")
	build := exec.CommandContext(t.Context(), "go", "build", "-ldflags=-s -w", "-o", file,
		"./tools/cmd/bagscope")
	build.Dir = root
	build.Env = append(os.Environ(), "GOOS=linux", "GOARCH=amd64")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	info := must.Get(os.Stat(file))(t)
	t.Logf("%d bytes", info.Size())
	must.Equal(t, sizes.Check("bagscope", info.Size()) == nil, true)
}

// toolsPlace reports whether a rule applies to a place in tools. It is true for nil.
func toolsPlace(r *rule) bool {
	if r == nil {
		return true
	}
	_, ok := within(r.place, "tools")
	return ok
}

func ruleOf(place string) *rule {
	var best *rule
	for i := range importRules {
		if _, ok := within(place, importRules[i].place); ok &&
			(best == nil || len(importRules[i].place) > len(best.place)) {
			best = &importRules[i]
		}
	}
	return best
}

// forbids returns the reason why an import is not allowed, or "".
func (r *rule) forbids(imported string) string {
	if own, ok := within(imported, modulePath); ok {
		at := ruleOf(own)
		if at == nil {
			return "no place of the table contains it"
		}
		for _, place := range append(r.own, r.place, "internal/msg", "internal/kind",
			"internal/otherfile") {
			if at.place == place {
				return ""
			}
		}
		return r.place + " may not import " + at.place
	}
	first, _, _ := strings.Cut(imported, "/")
	if !strings.Contains(first, ".") {
		for _, p := range r.without {
			if _, ok := within(imported, p); ok {
				return r.place + " must not import " + p
			}
		}
		return ""
	}
	for _, m := range r.modules {
		if _, ok := within(imported, m); ok || m == "." {
			return ""
		}
	}
	return r.place + " may not use this module"
}

// chain returns the imports through which a program links a package.
func chain(from map[string]string, pkg string) string {
	s := pkg
	for p := from[pkg]; p != ""; p = from[p] {
		s = p + " -> " + s
	}
	return s
}
