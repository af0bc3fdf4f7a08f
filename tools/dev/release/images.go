package main

import (
	"bytes"
	"context"
	"encoding/pem"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"golang.org/x/crypto/x509roots/fallback/bundle"

	"github.com/bagscope/bagscope/tools/dev/linked"
)

// An image is a container image for all platforms of Linux. It has no base: its programs are linked
// without C, so that certificates and a folder for temporary files are all that they need.
type image struct {
	name, title string
	entrypoint  []string
	port        string // port of the entrypoint, "" for none
	programs    []program
	site        bool // whether the site is part of it
}

// images writes the container images of the server and of the cohort's workers.
func (r *release) images(ctx context.Context) error {
	if !slices.ContainsFunc(r.platforms, func(p platform) bool { return p.os == "linux" }) {
		return nil
	}
	certificates, err := linked.Modules(ctx, linked.Programs{Dir: r.path("tools/dev/release"),
		OS: "linux", Arch: "amd64",
		Packages: []string{"golang.org/x/crypto/x509roots/fallback/bundle"}})
	if err != nil {
		return err
	}
	for _, i := range []image{
		{name: "bagscope-server", title: "Explanations of MIL models over HTTP", site: true,
			programs: []program{everyday}, port: "8018/tcp",
			entrypoint: []string{"/usr/local/bin/bagscope", "serve", "--listen", "0.0.0.0:8018",
				"--site", "/srv/site"}},
		{name: "bagscope-cohort-worker", title: "Worker of bagscope cohort on Apache Beam",
			programs: []program{cohort, boot}, entrypoint: []string{"/opt/apache/beam/boot"}},
	} {
		if err := r.writeImage(ctx, i, certificates); err != nil {
			return fmt.Errorf("%s: %w", i.name, err)
		}
	}
	return nil
}

// writeImage writes an image as an archive in OCI's layout, with its bill of materials.
func (r *release) writeImage(ctx context.Context, i image, modules []linked.Module) error {
	index := mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	bundles := []bundled{roots}
	if i.site {
		engine, err := r.engine(ctx, "gpu") // both programs
		if err != nil {
			return err
		}
		modules = linked.Union(modules, engine)
		site, err := r.siteBundles()
		if err != nil {
			return err
		}
		bundles = append(bundles, site...)
	}
	for _, p := range r.platforms {
		if p.os != "linux" {
			continue
		}
		programs, err := r.linked(ctx, p, i.programs...)
		if err != nil {
			return err
		}
		modules = linked.Union(modules, programs)
		one, err := r.platformImage(i, p, modules)
		if err != nil {
			return err
		}
		index = mutate.AppendManifests(index, mutate.IndexAddendum{Add: one,
			Descriptor: v1.Descriptor{Platform: &v1.Platform{OS: p.os, Architecture: p.arch}}})
	}
	dir, err := os.MkdirTemp("", "bagscope-image-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	path, err := layout.Write(dir, empty.Index)
	if err != nil {
		return err
	}
	// Podman and Docker give a loaded image the name of containerd. Podman without it takes the
	// other one for the name, and all images would have the same.
	if err := path.AppendIndex(index, layout.WithAnnotations(map[string]string{
		"io.containerd.image.name":          "localhost/" + i.name + ":" + r.version,
		"org.opencontainers.image.ref.name": r.version})); err != nil {
		return err
	}
	files, err := folderFiles("", dir)
	if err != nil {
		return err
	}
	name := fmt.Sprintf("%s-%s.oci.tar", i.name, r.version)
	return r.write(name, materials{component: i.name, modules: modules, bundled: bundles},
		func(w io.Writer) error { return writeTar(w, files, r.date) })
}

// platformImage returns the image for one platform: a layer of programs, and one of data.
func (r *release) platformImage(i image, p platform, modules []linked.Module) (v1.Image, error) {
	var programs []file
	for _, one := range i.programs {
		programs = append(programs, file{name: one.inImage, mode: 0o755, from: r.program(p, one)})
	}
	data := []file{
		{name: "etc/ssl/certs/ca-certificates.crt", mode: 0o644, data: certificates()},
		{name: "etc/passwd", mode: 0o644,
			data: []byte("bagscope:x:65532:65532:bagscope:/tmp:/sbin/nologin\n")},
		{name: "tmp/", mode: 0o777 | fs.ModeSticky},
		{name: "usr/share/doc/bagscope/LICENSE", mode: 0o644, from: r.path("LICENSE")},
		{name: "usr/share/doc/bagscope/LICENSES.txt", mode: 0o644,
			data: []byte(linked.Text(modules) + rootsTerms)},
	}
	if i.site {
		site, err := folderFiles("srv/site", r.path("www/dist"))
		if err != nil {
			return nil, err
		}
		data = append(data, site...)
	}
	var layers []v1.Layer
	for _, files := range [][]file{data, programs} {
		layer, err := r.layer(files)
		if err != nil {
			return nil, err
		}
		layers = append(layers, layer)
	}
	base := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1),
		types.OCIConfigJSON)
	filled, err := mutate.AppendLayers(base, layers...)
	if err != nil {
		return nil, err
	}
	before, err := filled.ConfigFile()
	if err != nil {
		return nil, err
	}
	config := before.DeepCopy()
	config.OS, config.Architecture, config.Created = p.os, p.arch, v1.Time{Time: r.date}
	for n := range config.History {
		config.History[n].Created = config.Created
	}
	// Beam's program needs a name for the user, also if a cluster runs the image as another one.
	config.Config = v1.Config{User: "65532:65532", Entrypoint: i.entrypoint, WorkingDir: "/tmp",
		Env: []string{"PATH=/usr/local/bin", "SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt",
			"HOME=/tmp", "USER=bagscope"},
		Labels: map[string]string{
			"org.opencontainers.image.title":    i.title,
			"org.opencontainers.image.version":  r.version,
			"org.opencontainers.image.revision": r.commit,
			"org.opencontainers.image.source":   "https://" + linked.Own,
			"org.opencontainers.image.licenses": "Apache-2.0",
		}}
	if i.port != "" {
		config.Config.ExposedPorts = map[string]struct{}{i.port: {}}
	}
	return mutate.ConfigFile(filled, config)
}

// layer returns files as a layer of an image.
func (r *release) layer(files []file) (v1.Layer, error) {
	var archive bytes.Buffer
	if err := writeTar(&archive, files, r.date); err != nil {
		return nil, err
	}
	open := func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(archive.Bytes())), nil
	}
	return tarball.LayerFromOpener(open, tarball.WithMediaType(types.OCILayer))
}

// roots are the certificates in an image: Mozilla's list, in another form.
var roots = bundled{Name: "certdata.txt", License: "MPL-2.0"}

// rootsTerms follow the licences of modules in an image.
const rootsTerms = `

certdata.txt
============

/etc/ssl/certs/ca-certificates.crt contains the certificates of Mozilla's list certdata.txt. The
list is subject to the terms of the Mozilla Public License, v. 2.0, which can be obtained at
https://mozilla.org/MPL/2.0/. Its source is lib/ckfw/builtins/certdata.txt in
https://hg.mozilla.org/projects/nss.
`

// certificates returns the roots of Mozilla's list in PEM. Roots that are trusted with constraints
// are left out, because PEM cannot express the constraints.
func certificates() []byte {
	var text bytes.Buffer
	for root := range bundle.Roots() {
		if root.Constraint == nil {
			// A write to a buffer does not fail.
			_ = pem.Encode(&text, &pem.Block{Type: "CERTIFICATE", Bytes: root.Certificate})
		}
	}
	return text.Bytes()
}

// path returns the path of a file of the clone.
func (s source) path(name string) string { return filepath.Join(s.root, filepath.FromSlash(name)) }
