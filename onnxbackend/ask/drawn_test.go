package ask

import (
	"errors"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/patches"
	"github.com/bagscope/bagscope/internal/must"
)

const square = `<Annotations><Annotation Name="A"><Regions><Region Type="Rectangle"><Vertices>` +
	`<V X="0" Y="0"/><V X="9" Y="9"/></Vertices></Region></Regions></Annotation></Annotations>`

// TestDrawnFiles finds the file of a slide in folders as HistoQC and others name them.
func TestDrawnFiles(t *testing.T) {
	file := func(names ...string) fstest.MapFS {
		files := fstest.MapFS{}
		for _, name := range names {
			files[name] = &fstest.MapFile{Data: []byte(square)}
		}
		return files
	}
	for name, c := range map[string]struct {
		files fs.FS
		path  string
		want  string // name of the tissue, or part of the error
	}{
		"a file":           {file("drawn.xml"), "drawn.xml", "drawn.xml"},
		"named like stem":  {file("d/a.xml", "d/b.xml"), "d", "a.xml"},
		"named like slide": {file("d/a.svs.geojson"), "d", "a.svs.geojson"},
		"HistoQC": {file("d/a.svs/a.svs_mask_use.png", "d/a.svs/a.svs_pen.png"), "d",
			"a.svs_mask_use.png"},
		"HistoQC before others": {file("d/a.xml", "d/a_mask_use.png"), "d", "a_mask_use.png"},
		"GrandQC":               {file("d/a.svs_MASK.png"), "d", "a.svs_MASK.png"},
		"in a folder each":      {file("d/a/a.tif"), "d", "a.tif"},
		"of another slide":      {file("d/ab.xml"), "d", `has no file for the slide "a.svs"`},
		"missing":               {file("d/a.xml"), "e.xml", `there is no file "e.xml"`},
		"above":                 {file("d/a.xml"), "../a.xml", "is no path of a file"},
		"without files":         {nil, "a.xml", "no files beside it here"},
	} {
		t.Run(name, func(t *testing.T) {
			var o patches.Options
			l := Tiling{Tissue: &c.path}.Lay(ReadOptions{})
			err := l.readDrawn(t.Context(), "folder\\a.svs", c.files, &o)
			if err == nil && o.Drawn.Name == c.want {
				return
			}
			var setting *core.SettingError
			must.Equal(t, errors.As(err, &setting), true, o.Drawn, err)
			must.Equal(t, setting.Setting, "tissue", o.Drawn, err)
			must.Equal(t, strings.Contains(err.Error(), c.want), true, o.Drawn, err)
		})
	}
	for _, name := range []string{"a_mask.png", "a.svs_MASK.png"} {
		var o patches.Options
		l := Lay{Exclude: DrawnFile{Path: "d", Files: file("d/" + name)}}
		must.Do(t, l.readDrawn(t.Context(), "a.svs", nil, &o))
		must.Equal(t, o.Excluded[0].Name, name, "GrandQC")
	}
	// What a folder does not exclude stays, and masks of HistoQC are tissue.
	var o patches.Options
	l := Lay{Exclude: DrawnFile{Path: "d", Files: file("d/a_mask_use.png", "d/b.xml")}}
	must.Equal(t, l.readDrawn(t.Context(), "a.svs", nil, &o) == nil, true, o.Excluded)
	must.Equal(t, o.Excluded == nil, true, o.Excluded)
	must.Equal(t, slices.Contains(excludeEndings, "_mask_use.png"), false,
		"a mask of tissue is excluded")
}
