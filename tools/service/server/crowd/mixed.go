package crowd

import (
	"bytes"
	"fmt"
	"mime/multipart"
	"os"
	"path/filepath"
)

// Mixed returns requests about a folder with model.onnx and bags.npz, such as examples/digits:
// predictions and explanations with the registered model and with a sent one, one explanation
// with all methods, and two invalid requests.
func Mixed(folder string) ([]Request, error) {
	model, err := os.ReadFile(filepath.Join(folder, "model.onnx"))
	if err != nil {
		return nil, err
	}
	bags, err := os.ReadFile(filepath.Join(folder, "bags.npz"))
	if err != nil {
		return nil, err
	}
	var out []Request
	// add adds a request with the registered model or, if sent is not nil, with the model in sent.
	add := func(path string, status int, sent []byte, request string) {
		var b bytes.Buffer // writing to it cannot fail, nor can the multipart writer before Close
		w := multipart.NewWriter(&b)
		file := func(key, name string, data []byte) {
			part, _ := w.CreateFormFile(key, name)
			_, _ = part.Write(data)
		}
		if sent == nil {
			_ = w.WriteField("model", "model")
		} else {
			file("model", "model.onnx", sent)
		}
		file("bag", "bags.npz", bags)
		_ = w.WriteField("request", request)
		_ = w.Close()
		out = append(out, Request{path, w.FormDataContentType(), b.Bytes(), status})
	}
	for index := range 6 {
		request := fmt.Sprintf(`{"index":%d}`, index)
		add("/v1/predict", 200, nil, request)
		add("/v1/explain", 200, nil, request)
		add("/v1/explain", 200, model, request)
	}
	add("/v1/explain", 200, nil, `{"methods":["all"],"samples":100,"settings":"mnist"}`)
	add("/v1/explain", 400, nil, `{"index":9}`)
	add("/v1/predict", 422, []byte("no model"), `{}`)
	return out, nil
}
