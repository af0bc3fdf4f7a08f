package main

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"mime/multipart"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"
)

// resident returns the memory of a process in MB (1e6 bytes): its present or, for VmHWM, its
// largest resident set.
func resident(t *testing.T, pid int, key string) float64 {
	t.Helper()
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		var kib float64
		if n, _ := fmt.Sscanf(line, key+": %f kB", &kib); n == 1 {
			return kib * 1024 / 1e6
		}
	}
	t.Fatalf("no %s in the status of the process", key)
	return 0
}

// constantModel returns a model of a few hundred bytes whose runs fill a tensor of n float32.
func constantModel(n int64) []byte {
	return ot.Model{
		Opset: 13, Inputs: []ot.Value{ot.In("x", "k", 2)}, Outputs: []ot.Value{ot.In("y", 2)},
		Initializers: []ot.Tensor{ot.I("shape", []int64{n}, 1)},
		Nodes: []ot.Node{
			ot.N("ConstantOfShape", []string{"shape"}, []string{"c"}),
			ot.N("ReduceMax", []string{"c"}, []string{"m"}, ot.Int("keepdims", 0)),
			ot.N("ReduceMax", []string{"x"}, []string{"q"}, ot.Ints("axes", 0),
				ot.Int("keepdims", 0)),
			ot.N("Add", []string{"q", "m"}, []string{"y"}),
		},
	}.Bytes()
}

// writeZeros writes an .npy file of k instances of a digit's 784 zeros, float32.
func writeZeros(t *testing.T, to io.Writer, k int) {
	t.Helper()
	_, err := fmt.Fprintf(to, "\x93NUMPY\x01\x00\x76\x00%-117s\n", fmt.Sprintf(
		"{'descr': '<f4', 'fortran_order': False, 'shape': (%d, 1, 28, 28), }", k))
	block := make([]byte, 4*784*100)
	for range k / 100 {
		if err == nil {
			_, err = to.Write(block)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
}

// hostileForms returns requests that take gigabytes if memory has no bound, by what they send.
func hostileForms(t *testing.T) map[string][2][]byte {
	t.Helper()
	const instances = 130_000 // .4 GB
	forms := map[string][2][]byte{}
	add := func(name, model, bag string, modelData, bagData []byte) {
		var body bytes.Buffer
		w := multipart.NewWriter(&body)
		if modelData == nil {
			w.WriteField("model", model)
		} else if part, err := w.CreateFormFile("model", model); err == nil {
			part.Write(modelData)
		}
		if part, err := w.CreateFormFile("bag", bag); err == nil {
			part.Write(bagData)
		}
		w.WriteField("request", `{"methods":["single"],"patch_size":28}`)
		w.Close()
		forms[name] = [2][]byte{body.Bytes(), []byte(w.FormDataContentType())}
	}
	bag := []byte("bag,f1,f2\na,1,2\na,3,4\n")
	add("constant", "c.onnx", "b.csv", constantModel(1<<28), bag)
	add("constant within the limit", "c.onnx", "b.csv", constantModel(20<<20), bag)
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	writeZeros(t, z, instances)
	z.Close()
	add("gzip", "model", "a.npy.gz", nil, bytes.Clone(b.Bytes()))
	b.Reset()
	archive := zip.NewWriter(&b)
	member, err := archive.Create("instances.npy")
	if err != nil {
		t.Fatal(err)
	}
	writeZeros(t, member, instances)
	archive.Close()
	add("zip", "model", "a.npz", nil, bytes.Clone(b.Bytes()))
	b.Reset()
	black := color.Palette{color.Black, color.White}
	err = png.Encode(&b, image.NewPaletted(image.Rect(0, 0, 8000, 8000), black))
	if err != nil {
		t.Fatal(err)
	}
	add("picture", "model", "a.png", nil, bytes.Clone(b.Bytes()))
	return forms
}

// sent posts a form and returns the status of the response.
func sent(url string, form [2][]byte) (int, error) {
	response, err := http.Post(url+"/v1/explain", string(form[1]), bytes.NewReader(form[0]))
	if err != nil {
		return 0, err
	}
	defer response.Body.Close()
	_, err = io.Copy(io.Discard, response.Body)
	return response.StatusCode, err
}

// TestResidentMemoryOfServer sends hostile requests, each by several clients at a time, beside an
// honest one. The resident set must stay below --memory and what the program takes at rest, and
// be back there within five seconds.
func TestResidentMemoryOfServer(t *testing.T) {
	const limit = 200.
	url, c := servingChild(t, "--memory", fmt.Sprint(limit), "--concurrency", "4")
	body, kind := form(t, exampleBags, `{"methods":["single"]}`, false)
	honest := [2][]byte{body.Bytes(), []byte(kind)}
	if status, err := sent(url, honest); status != http.StatusOK {
		t.Fatal(status, err)
	}
	// A page of the program's code that is touched later, and stacks, add to what it takes now.
	base := 1.15*resident(t, c.Process.Pid, "VmRSS") + programMB
	for name, hostile := range hostileForms(t) {
		t.Run(name, func(t *testing.T) {
			var clients sync.WaitGroup
			for range 3 {
				clients.Go(func() {
					status, err := sent(url, hostile)
					fits := name == "constant within the limit" && status == http.StatusOK
					if err != nil || !fits && status != http.StatusRequestEntityTooLarge &&
						status != http.StatusServiceUnavailable {
						t.Errorf("a hostile request gets %d, %v", status, err)
					}
				})
			}
			for tries := 0; ; tries++ {
				status, err := sent(url, honest)
				if status == http.StatusOK {
					break
				}
				if err != nil || status != http.StatusServiceUnavailable || tries == 100 {
					t.Fatalf("an honest request gets %d, %v", status, err)
				}
				time.Sleep(50 * time.Millisecond)
			}
			clients.Wait()
			peak := resident(t, c.Process.Pid, "VmHWM")
			if peak > base+limit {
				t.Errorf("the peak is %.0f MB; %.0f MB are allowed beside %.0f MB at rest", peak,
					limit, base)
			}
			now, end := 0., time.Now().Add(5*time.Second)
			for time.Now().Before(end) {
				if now = resident(t, c.Process.Pid, "VmRSS"); now <= base {
					break
				}
				time.Sleep(50 * time.Millisecond)
			}
			t.Logf("peak %.0f MB, then %.0f MB; at rest %.0f MB", peak, now, base)
			if now > base {
				t.Errorf("%.0f MB are held after five seconds, %.0f MB at rest", now, base)
			}
		})
	}
}

// programMB is what the heap of the program may hold beside what is bounded: see
// cli.BoundProcess.
const programMB = 16

// TestResidentMemoryOfCommands explains hostile files from the command line under --memory.
func TestResidentMemoryOfCommands(t *testing.T) {
	const limit = 64.
	folder := t.TempDir()
	write := func(name string, data []byte) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	writeZeros(t, z, 130_000)
	z.Close()
	bomb := write("bomb.npy.gz", packed.Bytes())
	model := write("c.onnx", constantModel(1<<28))
	small := write("a.csv", []byte("bag,f1,f2\na,1,2\na,3,4\n"))
	run := func(args ...string) (peak float64, text string) {
		c := exec.Command(os.Args[0], "-test.run", "^TestChild$")
		c.Env = append(os.Environ(), childArguments+"="+strings.Join(args, "\n"))
		out, _ := c.CombinedOutput()
		usage := c.ProcessState.SysUsage().(*syscall.Rusage)
		return float64(usage.Maxrss) * 1024 / 1e6, string(out)
	}
	base, _ := run("version")
	for name, files := range map[string][2]string{
		"model": {model, small}, "gzip": {exampleModel, bomb},
	} {
		t.Run(name, func(t *testing.T) {
			peak, text := run("explain", "--memory", fmt.Sprint(limit), "--model", files[0], "--bag",
				files[1])
			t.Logf("peak %.0f MB, at rest %.0f MB", peak, base)
			if !strings.Contains(text, "MB of memory") || peak > 1.15*base+programMB+limit {
				t.Errorf("%s\npeak %.0f MB, at rest %.0f MB", text, peak, base)
			}
		})
	}
}
