package main

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	cdx "github.com/CycloneDX/cyclonedx-go"

	"github.com/bagscope/bagscope/tools/dev/linked"
)

// materials are what a file of a release contains of other projects.
type materials struct {
	component string
	modules   []linked.Module
	bundled   []bundled
}

// A bundled is an npm package that the bundler put into the site, or data, which have no version.
// www/licenses.ts writes the site's list.
type bundled struct{ Name, Version, License string }

// siteBundles returns what the site bundles beside the engine.
func (r *release) siteBundles() ([]bundled, error) {
	text, err := os.ReadFile(r.path("build/site-packages.json"))
	if err != nil {
		return nil, err
	}
	var list []bundled
	if err := json.Unmarshal(text, &list); err != nil {
		return nil, fmt.Errorf("build/site-packages.json: %w", err)
	}
	return list, nil
}

// writeMaterials writes the bill of materials of a file beside it, in CycloneDX's JSON.
func (r *release) writeMaterials(name string, m materials) error {
	sum, err := digest(filepath.Join(r.out, name))
	if err != nil {
		return err
	}
	bom, err := m.bill(r.source, name, sum)
	if err != nil {
		return err
	}
	return create(filepath.Join(r.out, name+".cdx.json"), func(w io.Writer) error {
		return cdx.NewBOMEncoder(w, cdx.BOMFileFormatJSON).SetPretty(true).
			EncodeVersion(bom, cdx.SpecVersion1_6)
	})
}

// bill returns the bill of materials of a file. Its date is that of the commit, and it has no
// serial number, so that equal releases have equal bills.
func (m materials) bill(s source, name, sum string) (*cdx.BOM, error) {
	bom := cdx.NewBOM()
	bom.Metadata = &cdx.Metadata{
		Timestamp: s.date.Format(time.RFC3339),
		Component: &cdx.Component{Type: cdx.ComponentTypeApplication, BOMRef: name,
			Name: m.component, Version: s.version, Description: name,
			Hashes:   &[]cdx.Hash{{Algorithm: cdx.HashAlgoSHA256, Value: sum}},
			Licenses: licences([]string{"Apache-2.0"}),
			Properties: &[]cdx.Property{
				{Name: "bagscope:commit", Value: s.commit},
			}},
	}
	var components []cdx.Component
	for _, module := range m.modules {
		for _, part := range module.Materials {
			if err := allow(part.Name, part.License); err != nil {
				return nil, err
			}
			components = append(components, debianComponent(part))
		}
		if strings.HasPrefix(module.Path, linked.Own) {
			continue
		}
		c, err := goComponent(module)
		if err != nil {
			return nil, err
		}
		components = append(components, c)
	}
	for _, b := range m.bundled {
		if err := allow(b.Name, b.License); err != nil {
			return nil, err
		}
		components = append(components, b.component())
	}
	bom.Components = &components
	return bom, nil
}

// component describes an npm package or data.
func (b bundled) component() cdx.Component {
	c := cdx.Component{Type: cdx.ComponentTypeData, BOMRef: b.Name, Name: b.Name,
		Licenses: licences([]string{b.License})}
	if b.Version != "" {
		c.Type, c.Version = cdx.ComponentTypeLibrary, b.Version
		c.PackageURL = "pkg:npm/" + strings.Replace(b.Name, "@", "%40", 1) + "@" + b.Version
		c.BOMRef = c.PackageURL
	}
	return c
}

// debianComponent describes a material, with the hash of its archive if it is known.
func debianComponent(part linked.Material) cdx.Component {
	c := cdx.Component{Type: cdx.ComponentTypeLibrary, BOMRef: part.URL, Name: part.Name,
		Version: part.Version, PackageURL: part.URL, Licenses: licences([]string{part.License})}
	if part.Sum != "" {
		c.Hashes = &[]cdx.Hash{{Algorithm: cdx.HashAlgoSHA256, Value: part.Sum}}
	}
	return c
}

// goComponent describes a module, with the hash of go.sum, which is a SHA-256 of its files.
func goComponent(m linked.Module) (cdx.Component, error) {
	url := "pkg:golang/" + m.Path + "@" + strings.ReplaceAll(m.Version, "+", "%2B")
	ids, err := licenceIDs(m)
	if err != nil {
		return cdx.Component{}, err
	}
	c := cdx.Component{Type: cdx.ComponentTypeLibrary, BOMRef: url, Name: m.Path,
		Version: m.Version, PackageURL: url, Licenses: licences(ids)}
	if m.Path == linked.Standard {
		return c, nil
	}
	encoded, found := strings.CutPrefix(m.Sum, "h1:")
	sum, err := base64.StdEncoding.DecodeString(encoded)
	if !found || err != nil {
		return c, fmt.Errorf("%s %s has the unknown hash %q", m.Path, m.Version, m.Sum)
	}
	c.Hashes = &[]cdx.Hash{{Algorithm: cdx.HashAlgoSHA256, Value: hex.EncodeToString(sum)}}
	return c, nil
}

// licences returns the licences with the identifiers for a component.
func licences(ids []string) *cdx.Licenses {
	var list cdx.Licenses
	for _, id := range ids {
		l := &cdx.License{ID: id}
		if id == patentGrant {
			l = &cdx.License{Name: "Google's patent grant for Go"}
		}
		if strings.Contains(id, " WITH ") { // an expression stands alone
			return &cdx.Licenses{{Expression: id}}
		}
		list = append(list, cdx.LicenseChoice{License: l})
	}
	if len(list) == 0 {
		return nil
	}
	return &list
}
