package main

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"io"
	"maps"
	"math"
	"math/rand/v2"
	"mime/multipart"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"
)

// residentBag is the number of a digit's instances in bags whose memory is measured: .13 GB as
// float32.
const residentBag = 40_000

// noise writes n float32 in [0, 1) with random digits, half of which compress.
func noise(w io.Writer, n int) error {
	r, block := rand.New(rand.NewPCG(1, 2)), make([]byte, 4<<16)
	for ; n > 0; n -= 1 << 16 {
		for i := 0; i < len(block); i += 4 {
			v := float32(r.IntN(1<<16)) / (1 << 16)
			binary.LittleEndian.PutUint32(block[i:], math.Float32bits(v))
		}
		if _, err := w.Write(block[:4*min(n, 1<<16)]); err != nil {
			return err
		}
	}
	return nil
}

// residentFiles writes a bag in several formats, by the name of the file.
func residentFiles(t *testing.T) map[string]func(io.Writer) error {
	npy := func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "\x93NUMPY\x01\x00\x76\x00%-117s\n", fmt.Sprintf(
			"{'descr': '<f4', 'fortran_order': False, 'shape': (%d, 784), }", residentBag))
		if err != nil {
			return err
		}
		return noise(w, 784*residentBag)
	}
	return map[string]func(io.Writer) error{
		"bag.npy": npy,
		"bag.npy.gz": func(w io.Writer) error {
			z, _ := gzip.NewWriterLevel(w, flate.BestSpeed) // the level is valid
			if err := npy(z); err != nil {
				return err
			}
			return z.Close()
		},
		"bag.npz": func(w io.Writer) error {
			z := zip.NewWriter(w)
			z.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) {
				return flate.NewWriter(w, flate.BestSpeed)
			})
			f, err := z.Create("features.npy")
			if err != nil {
				return err
			}
			if err := npy(f); err != nil {
				return err
			}
			return z.Close()
		},
		"bag.safetensors": func(w io.Writer) error {
			head := fmt.Sprintf(
				`{"features":{"dtype":"F32","shape":[%d,784],"data_offsets":[0,%d]}}`,
				residentBag, 4*784*residentBag)
			if _, err := fmt.Fprintf(w, "%s%s", binary.LittleEndian.AppendUint64(nil,
				uint64(len(head))), head); err != nil {
				return err
			}
			return noise(w, 784*residentBag)
		},
		// Packed chunks are not made here: bytes of the file that no chunk needs stand for them.
		"bag.h5": func(w io.Writer) error {
			if _, err := w.Write(hugeDataspace(t, residentBag)); err != nil {
				return err
			}
			return noise(w, 784*residentBag/2)
		},
	}
}

// poolingModel returns a model that encodes 784 features as 8 and takes their maximum.
func poolingModel() []byte {
	weights := make([]float32, 784*8)
	for i := range weights {
		weights[i] = float32(i%7) - 3
	}
	return ot.Model{
		Opset: 13, Inputs: []ot.Value{ot.In("x", "k", 784)}, Outputs: []ot.Value{ot.In("y", 8)},
		Initializers: []ot.Tensor{ot.F("w", weights, 784, 8)},
		Nodes:        ot.Nodes(`h = MatMul(x, w); y = ReduceMax<axes=[0], keepdims=0>(h)`),
	}.Bytes()
}

// TestResidentMemoryOfBags predicts a bag of 125 MB by the command, and by the server from its
// folder of bags and from an upload. The resident set above that at rest must be at most 1.3 times
// the array: the file is not held beside it.
func TestResidentMemoryOfBags(t *testing.T) {
	const array = 4 * 784 * residentBag / 1e6
	folder := t.TempDir()
	model := filepath.Join(folder, "features.onnx")
	must.Do(t, os.WriteFile(model, poolingModel(), 0o600))
	base, _ := peakOf(t, "version")
	files := residentFiles(t)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(folder, name)
			f := must.Get(os.Create(path))(t)
			defer os.Remove(path)
			must.Do(t, files[name](f))
			f.Close()
			peak, text := peakOf(t, "predict", "--model", model, "--bag", path)
			checkPeak(t, "the command", peak-base, array, text)
			url, c := servingChild(t, "--models", folder, "--bags", folder, "--memory", "2000")
			rest := resident(t, c.Process.Pid, "VmRSS")
			text = predictedBy(t, url, name, nil)
			checkPeak(t, "the server", resident(t, c.Process.Pid, "VmHWM")-rest, array, text)
			if name == "bag.npy" { // of all formats, an upload is read as a file is
				data := must.Get(os.ReadFile(path))(t)
				url, c := servingChild(t, "--models", folder, "--memory", "2000")
				rest := resident(t, c.Process.Pid, "VmRSS")
				text = predictedBy(t, url, name, data)
				checkPeak(t, "an upload", resident(t, c.Process.Pid, "VmHWM")-rest, array, text)
			}
		})
	}
}

// checkPeak checks that peak MB are from one to 1.3 times those of the array.
func checkPeak(t *testing.T, who string, peak, array float64, text string) {
	t.Helper()
	t.Logf("%s takes %.0f MB for %.0f MB, %.2f times as much", who, peak, array, peak/array)
	must.Contain(t, text, fmt.Sprint(residentBag))
	if peak < array || peak > 1.3*array {
		t.Errorf("%s takes %.0f MB for an array of %.0f MB; from one to 1.3 times as much are "+
			"allowed: %.300s", who, peak, array, text)
	}
}

// predictedBy returns the server's prediction of a bag: of an upload, or of a file in the folder of
// bags if data is nil.
func predictedBy(t *testing.T, url, name string, data []byte) string {
	t.Helper()
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	w.WriteField("model", "features")
	if data == nil {
		w.WriteField("bag", name)
	} else if part, err := w.CreateFormFile("bag", name); err == nil {
		part.Write(data) // a Buffer takes all bytes
	}
	w.Close()
	response := must.Get(http.Post(url+"/v1/predict", w.FormDataContentType(), &body))(t)
	defer response.Body.Close()
	text := must.Get(io.ReadAll(response.Body))(t)
	must.Equal(t, response.StatusCode, http.StatusOK, text)
	return string(text)
}
