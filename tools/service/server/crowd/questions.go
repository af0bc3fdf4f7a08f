package crowd

import (
	"bytes"
	"fmt"
	"io"
	"mime/multipart"
	"os"
	"path/filepath"
)

// Mixed returns questions about a folder with model.onnx and bags.npz, such as examples/digits:
// predictions and explanations with the registered model and with a sent one, one explanation
// with all methods, and two invalid requests.
func Mixed(folder string) ([]Question, error) {
	model, err := os.ReadFile(filepath.Join(folder, "model.onnx"))
	if err != nil {
		return nil, err
	}
	bags, err := os.ReadFile(filepath.Join(folder, "bags.npz"))
	if err != nil {
		return nil, err
	}
	var out []Question
	ask := func(path string, status int, sent []byte, request string) {
		var b bytes.Buffer
		w := multipart.NewWriter(&b)
		write := func(key, file string, data []byte) {
			if err != nil {
				return
			}
			create := func() (io.Writer, error) { return w.CreateFormField(key) }
			if file != "" {
				create = func() (io.Writer, error) { return w.CreateFormFile(key, file) }
			}
			var part io.Writer
			if part, err = create(); err == nil {
				_, err = part.Write(data)
			}
		}
		if sent == nil {
			write("model", "", []byte("model"))
		} else {
			write("model", "model.onnx", sent)
		}
		write("bag", "bags.npz", bags)
		write("request", "", []byte(request))
		if err == nil {
			err = w.Close()
		}
		out = append(out, Question{path, w.FormDataContentType(), b.Bytes(), status})
	}
	for index := range 6 {
		request := fmt.Sprintf(`{"index":%d}`, index)
		ask("/v1/predict", 200, nil, request)
		ask("/v1/explain", 200, nil, request)
		ask("/v1/explain", 200, model, request)
	}
	ask("/v1/explain", 200, nil, `{"methods":["all"],"samples":100,"settings":"mnist"}`)
	ask("/v1/explain", 400, nil, `{"index":9}`)
	ask("/v1/predict", 422, []byte("no model"), `{}`)
	return out, err
}
