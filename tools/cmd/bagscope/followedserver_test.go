package main

import (
	"bytes"
	"io"
	"mime/multipart"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/advice"
	"github.com/bagscope/bagscope/internal/must"
)

// TestFollowedServer starts the server again with the flag that its error names.
func TestFollowedServer(t *testing.T) {
	book := advice.Of(t)
	models := filepath.Dir(exampleModel)
	jobs, kind := jobForm(t, `{}`)
	for name, c := range map[string]struct {
		method, path string
		header       string // NAME: VALUE
		body         []byte
		flag         string // the flag that the error names
		value        string
	}{
		"another name": {"GET", "/v1/models", "Host: tools.example.org", nil, "--allow-host",
			"tools.example.org"},
		"another origin": {"POST", "/v1/predict", "Origin: https://tools.example.org", jobs,
			"--allow-origin", "https://tools.example.org"},
		"jobs": {"POST", "/v1/jobs", "Accept: application/json", jobs, "--data", t.TempDir()},
	} {
		t.Run(name, func(t *testing.T) {
			ask := func(flags ...string) (int, string) {
				url := serving(t, append([]string{"--models", models}, flags...)...)
				r := must.Get(http.NewRequestWithContext(t.Context(), c.method, url+c.path,
					bytes.NewReader(c.body)))(t)
				r.Header.Set("Content-Type", kind)
				key, value, _ := strings.Cut(c.header, ": ")
				r.Header.Set(key, value)
				if key == "Host" {
					r.Host = value
				}
				answer := must.Get(http.DefaultClient.Do(r))(t)
				defer answer.Body.Close()
				return answer.StatusCode, string(must.Get(io.ReadAll(answer.Body))(t))
			}
			code, text := ask()
			must.Equal(t, code >= 400, true, code, text)
			must.Equal(t, strings.Contains(text, c.flag), true, code, text)
			book.Read(t, text, c.flag)
			if code, text := ask(c.flag, c.value); code >= 300 {
				t.Errorf("with %s: status %d: %s", c.flag, code, text)
			}
		})
	}
	t.Run("a token", func(t *testing.T) {
		token := writeTemp(t, "token", []byte("0123456789abcdef\n"))
		url := serving(t, "--models", models, "--token-file", token)
		_, _, text := bagscope(t, "predict", "--bag", exampleBags, "--model",
			"oip+"+strings.Replace(url, "://", "://me:0123456789abcdef@", 1)+"/model")
		book.Read(t, text, "--model-token-file")
		succeed(t, "predict", "--bag", exampleBags, "--model", "oip+"+url+"/model",
			"--model-token-file", token)
	})
	t.Run("a path", func(t *testing.T) {
		folder := t.TempDir()
		must.Do(t, os.WriteFile(filepath.Join(folder, "bags.npz"),
			must.Get(os.ReadFile(exampleBags))(t), 0o600))
		ask := func(flags ...string) (int, string) {
			url := serving(t, append([]string{"--models", models}, flags...)...)
			var body bytes.Buffer
			w := multipart.NewWriter(&body)
			must.Do(t, w.WriteField("model", "model"))
			must.Do(t, w.WriteField("bag", "bags.npz"))
			must.Do(t, w.Close())
			answer := must.Get(http.Post(url+"/v1/predict", w.FormDataContentType(), &body))(t)
			defer answer.Body.Close()
			return answer.StatusCode, string(must.Get(io.ReadAll(answer.Body))(t))
		}
		_, text := ask()
		book.Read(t, text, "--bags DIR")
		if code, text := ask("--bags", folder); code != 200 {
			t.Errorf("status %d: %s", code, text)
		}
	})
}
