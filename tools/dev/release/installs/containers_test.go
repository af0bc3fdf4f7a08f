package installs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
)

// token is what requests to the server need.
const token = "token-of-the-test"

// serverImage runs the server's entrypoint as the image's user, with the image's files alone.
func (m *machine) serverImage(ctx context.Context) error {
	root, config, err := m.unpackImage("bagscope-server")
	if err != nil {
		return err
	}
	if err := m.bare(root, false, config.Env...).explains(ctx, "commit "+m.commit[:12],
		"/usr/local/bin/bagscope"); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(m.work, "tokens"), []byte(token+"\n"), 0o644); err != nil {
		return err
	}
	address, err := freeAddress()
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	server := m.bare(root, true, config.Env...).cmd(ctx, append(config.Entrypoint, "--listen",
		address, "--token-file", workInside+"/tokens", "--models", examplesInside+"/digits")...)
	var messages strings.Builder
	server.Stderr = &messages
	if err := server.Start(); err != nil {
		return err
	}
	err = answers(ctx, "http://"+address)
	stop()
	_ = server.Wait() // it was stopped
	if err != nil {
		err = fmt.Errorf("%w\n%s", err, messages.String())
	}
	return err
}

// freeAddress returns an address of this machine that no program listens on.
func freeAddress() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}

// answers waits for the server, and checks that it lists its models to those with a token only.
func answers(ctx context.Context, server string) error {
	var last error
	for end := time.Now().Add(2 * time.Minute); time.Now().Before(end); time.Sleep(
		200 * time.Millisecond) {
		status, body, err := get(ctx, server+"/v1/models", token)
		if err == nil {
			if status != http.StatusOK || !strings.Contains(body, `"model"`) {
				return fmt.Errorf("the server answers %d: %s", status, body)
			}
			if status, _, err = get(ctx, server+"/v1/models", ""); err == nil &&
				status != http.StatusUnauthorized {
				err = fmt.Errorf("without a token the server answers %d", status)
			}
			return err
		}
		last = err
	}
	return fmt.Errorf("the server does not answer: %w", last)
}

// get requests an address with a token, or without one if it is empty.
func get(ctx context.Context, address, token string) (status int, body string, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return 0, "", err
	}
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, "", err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	return response.StatusCode, string(text), err
}

// workerImage starts both programs of the image: Beam's goes as far as it can without an engine.
func (m *machine) workerImage(ctx context.Context) error {
	root, config, err := m.unpackImage("bagscope-cohort-worker")
	if err != nil {
		return err
	}
	s := m.bare(root, false, config.Env...)
	if _, err := s.run(ctx, config.Entrypoint...); err == nil ||
		!strings.Contains(err.Error(), "No id provided") {
		return fmt.Errorf("the entrypoint ends with %w", err)
	}
	return s.expect(ctx, "bagscope cohort", "/usr/local/bin/bagscope-cohort", "--help")
}

// unpackImage unpacks the files of an image for this machine, and returns their folder and the
// image's settings.
func (m *machine) unpackImage(name string) (root string, config v1.Config, err error) {
	archive, err := os.Open(filepath.Join(m.release, fmt.Sprintf("%s-%s.oci.tar", name, m.version)))
	if err != nil {
		return "", config, err
	}
	defer archive.Close()
	dir := filepath.Join(m.work, "layout")
	if err := untar(archive, dir); err != nil {
		return "", config, err
	}
	one, err := findImage(dir, "localhost/"+name+":"+m.version)
	if err != nil {
		return "", config, err
	}
	all, err := one.ConfigFile()
	if err != nil {
		return "", config, err
	}
	if user, _, _ := strings.Cut(all.Config.User, ":"); user != "65532" {
		return "", config, fmt.Errorf("the image's user is %q", all.Config.User)
	}
	files := mutate.Extract(one)
	root = filepath.Join(m.work, "root")
	return root, all.Config, errors.Join(untar(files, root), files.Close())
}

// findImage returns the image for this machine of an index in OCI's layout, whose name has to be
// the one under which programs load it.
func findImage(dir, name string) (v1.Image, error) {
	outer, err := layout.ImageIndexFromPath(dir)
	if err != nil {
		return nil, err
	}
	manifest, err := outer.IndexManifest()
	if err != nil {
		return nil, err
	}
	if len(manifest.Manifests) != 1 {
		return nil, fmt.Errorf("the layout has %d images", len(manifest.Manifests))
	}
	if got := manifest.Manifests[0].Annotations["io.containerd.image.name"]; got != name {
		return nil, fmt.Errorf("the image's name is %q, want %q", got, name)
	}
	index, err := outer.ImageIndex(manifest.Manifests[0].Digest)
	if err != nil {
		return nil, err
	}
	if manifest, err = index.IndexManifest(); err != nil {
		return nil, err
	}
	for _, d := range manifest.Manifests {
		if d.Platform != nil && d.Platform.OS == "linux" &&
			d.Platform.Architecture == runtime.GOARCH {
			return index.Image(d.Digest)
		}
	}
	return nil, fmt.Errorf("the image has no platform linux/%s", runtime.GOARCH)
}
