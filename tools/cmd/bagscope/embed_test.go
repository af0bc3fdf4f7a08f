package main

import (
	"bytes"
	"encoding/base64"
	"encoding/xml"
	"fmt"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend/ask"
	"github.com/bagscope/bagscope/tools/cmd/internal/cli"
	"github.com/bagscope/bagscope/tools/cmd/internal/clitest"
)

// An htmlElement is an element of a page with the text directly inside of it.
type htmlElement struct {
	name       string
	attributes map[string]string
	text       string
}

// htmlElements returns the elements of HTML in their order. It must be XML, too, as MDX is.
func htmlElements(t *testing.T, page string) (out []htmlElement) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(page))
	for {
		token, err := d.Token()
		if token == nil {
			must.Equal(t, err.Error(), "EOF", page)
			return out
		}
		switch v := token.(type) {
		case xml.StartElement:
			e := htmlElement{name: v.Name.Local, attributes: map[string]string{}}
			for _, a := range v.Attr {
				e.attributes[a.Name.Local] = a.Value
			}
			out = append(out, e)
		case xml.CharData:
			if len(out) > 0 {
				out[len(out)-1].text += strings.TrimSpace(string(v))
			}
		}
	}
}

// named returns the only element of a name.
func named(t *testing.T, elements []htmlElement, name string) htmlElement {
	t.Helper()
	var found []htmlElement
	for _, e := range elements {
		if e.name == name {
			found = append(found, e)
		}
	}
	must.Equal(t, len(found), 1, name)
	return found[0]
}

// pixels decodes the PNG file of a data: address.
func pixels(t *testing.T, address string) []byte {
	t.Helper()
	return must.Get(base64.StdEncoding.DecodeString(strings.TrimPrefix(address,
		"data:image/png;base64,")))(t)
}

// The picture is that of explain, its words have explain's numbers, and the element gets the flags.
func TestEmbed(t *testing.T) {
	about := []string{"--model", exampleModel, "--bag", exampleBags, "--index", "1",
		"--method", "milli", "--settings", "mnist", "--samples", "200", "--seed", "3"}
	page := succeed(t, slices.Concat([]string{"embed"}, about, []string{"--model-url",
		"a/model.onnx?x=1&y", "--bag-url", "a/bags.npz", "--width", "880"})...)
	must.Equal(t, strings.Contains(page, "\n\n"), false,
		"an empty line would end the HTML in Markdown")
	elements := htmlElements(t, page)
	element := named(t, elements, "bag-explainer").attributes
	want := map[string]string{"model": "a/model.onnx?x=1&y", "bag": "a/bags.npz", "index": "1",
		"method": "milli", "settings": "mnist", "samples": "200", "seed": "3"}
	for name, value := range want {
		must.Equal(t, element[name], value, name)
	}
	if _, ok := element["interactive"]; !ok || len(element) != len(want)+1 {
		t.Errorf("the attributes are %v", element)
	}

	file := filepath.Join(t.TempDir(), "x.png")
	var x ask.Explanation
	clitest.Decode(t, succeed(t, slices.Concat([]string{"explain"}, about,
		[]string{"--png", file, "--json"})...), &x)
	same := must.Get(os.ReadFile(file))(t)
	img := named(t, elements, "img").attributes
	light := pixels(t, img["src"])
	dark := pixels(t, named(t, elements, "source").attributes["srcset"])
	must.EqualSlices(t, light, same, "the picture is not that of explain")
	must.Equal(t, bytes.Equal(light, dark), false, "dark pages have the picture of light ones")
	size := must.Get(png.DecodeConfig(bytes.NewReader(dark)))(t)
	must.Equal(t, img["width"], fmt.Sprint(size.Width/2), size.Width, size.Height)
	must.Equal(t, img["height"], fmt.Sprint(size.Height/2), size.Width, size.Height)

	// The predicted class is 1, and its scores are the second of the method's.
	scores, top := x.Explanations[1].Scores, 0
	for i, v := range scores {
		if v > scores[top] {
			top = i
		}
	}
	for _, words := range []string{"bag 1: two 8s, 33 digits, explained by MILLI.",
		"The model's answer for an 8: probability " + cli.Short(float64(x.Prediction[1])) + ".",
		fmt.Sprintf("%d (%s)", core.Number(top), cli.Signed(float64(scores[top]))),
		"of 33. Scores are in",
		"Also explained: neither 8 nor 9; a 9; an 8 and a 9."} {
		must.Contain(t, img["alt"], words)
	}
	if caption := named(t, elements, "span"); caption.attributes["slot"] != "caption" ||
		caption.text != embedCaption {
		t.Errorf("the caption is %v", caption)
	}
}

// Without addresses there is no element.
func TestEmbedPicture(t *testing.T) {
	file := filepath.Join(t.TempDir(), "part.html")
	must.Equal(t, succeed(t, "embed", "--model", exampleModel, "--bag", exampleBags, "--method",
		"single", "--class", "an 8", "--out", file), "")
	page := must.Get(os.ReadFile(file))(t)
	elements := htmlElements(t, string(page))
	must.Equal(t, elements[0].name, "figure", "the HTML begins with")
	must.Equal(t, named(t, elements, "figcaption").text, embedCaption, "the HTML begins with")
	alt := named(t, elements, "img").attributes["alt"]
	must.Equal(t, strings.Contains(alt, "Also explained"), false, alt)
	must.Contain(t, alt, "The model's answer for an 8:")
}

// In a folder the pictures are files, whose address begins at --base. There is no attribute style,
// and a block is around all, so that Markdown and MDX leave the HTML whole.
func TestEmbedFolder(t *testing.T) {
	about := []string{"embed", "--model", exampleModel, "--bag", exampleBags, "--method", "single"}
	inside := htmlElements(t, succeed(t, about...))
	folder := filepath.Join(t.TempDir(), "new") + "/"
	for _, base := range []string{"", "/docs", "../x/", "my pages,1"} {
		args := slices.Concat(about, []string{"--out", folder, "--model-url", "m.onnx",
			"--bag-url", "b.npz", "--base", base})
		must.Equal(t, succeed(t, args...), "")
		page := string(must.Get(os.ReadFile(folder + "explained.html"))(t))
		must.Equal(t, strings.Contains(page, "style="), false, page)
		elements := htmlElements(t, page)
		must.Equal(t, elements[0].name, "div")
		element := named(t, elements, "bag-explainer").attributes
		must.Equal(t, element["base"], base)
		must.Equal(t, element["model"], "m.onnx")
		at := map[string]string{"": "", "/docs": "/docs/", "../x/": "../x/",
			"my pages,1": "my%20pages%2C1/"}[base]
		must.Equal(t, named(t, elements, "img").attributes["src"], at+"explained.png")
		dark := named(t, elements, "source").attributes
		must.Contain(t, dark["srcset"], at+"explained-dark.png ")
		must.Contain(t, dark["sizes"], named(t, inside, "img").attributes["width"]+"px")
	}
	for file, address := range map[string]string{
		"explained.png":      named(t, inside, "img").attributes["src"],
		"explained-dark.png": named(t, inside, "source").attributes["srcset"],
	} {
		must.EqualSlices(t, must.Get(os.ReadFile(folder+file))(t), pixels(t, address), file)
	}
}

// Names of bags cannot add elements.
func TestEmbedHostileName(t *testing.T) {
	file := filepath.Join(t.TempDir(), "bags.csv")
	heading, row := "bag", `"""><img src=x onerror=alert(1)>"`
	for i := range 28 * 28 {
		heading += fmt.Sprintf(",f%d", i)
		row += ",0"
	}
	text := heading + "\n" + strings.Repeat(row+"\n", 3)
	must.Do(t, os.WriteFile(file, []byte(text), 0o600))
	elements := htmlElements(t, succeed(t, "embed", "--model", exampleModel, "--bag", file,
		"--method", "single", "--model-url", `m"onload="x`, "--bag-url", "<b>"))
	if img := named(t, elements, "img").attributes; !strings.Contains(img["alt"], `"><img`) ||
		len(img) != 5 {
		t.Errorf("the picture has %d attributes and the words %s", len(img), img["alt"])
	}
	if e := elements[1].attributes; e["model"] != `m"onload="x` || e["bag"] != "<b>" {
		t.Errorf("the element has the attributes %v", e)
	}
}

// What the element cannot show is an error of usage.
func TestEmbedUsage(t *testing.T) {
	folder := t.TempDir()
	model := must.Get(os.ReadFile(exampleModel))(t)
	withCard := filepath.Join(folder, "m.onnx")
	for name, data := range map[string][]byte{withCard: model,
		filepath.Join(folder, "m.bagscope.json"): []byte("{}")} {
		must.Do(t, os.WriteFile(name, data, 0o600))
	}
	urls := " --model-url m --bag-url b"
	both := "--model " + exampleModel + " --bag " + exampleBags
	for _, c := range []struct{ args, says string }{
		{both + " --method all", "embed draws one method"},
		{both + " --model-url m", "belong together"},
		{both + " --bag-url b", "belong together"},
		{both + " --card-url c", "belong together"},
		{both + " --base /x/", "--base belongs to"},
		{both + " --width 12", "--width"},
		{both + " --encoder e.onnx" + urls, "--encoder has no attribute"},
		{"--model oip+http://h/n --bag b" + urls, "runs on a server"},
		{"--model " + withCard + " --bag " + exampleBags + urls, "--card-url"},
	} {
		t.Run(c.says, func(t *testing.T) {
			code, out, problem := bagscope(t,
				append([]string{"embed"}, strings.Fields(c.args)...)...)
			if code != cli.ExitUsage || out != "" || !strings.Contains(problem, c.says) {
				t.Errorf("code %d, %q, %q", code, out, problem)
			}
		})
	}
}
