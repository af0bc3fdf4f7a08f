package main

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"fmt"
	"html"
	"slices"
	"strconv"
	"strings"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/draw"
	"github.com/bagscope/bagscope/core/methods"
	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/tools/cmd/internal/cli"
)

const embedCaption = "A plus supports a class, a minus refutes it; grey " +
	"does not stand out. This explains a model, not the truth."

// escaped returns a text for HTML, also inside of quotes. Control characters are visible.
func escaped(text string) string { return html.EscapeString(msg.Line(text)) }

// pictureScale is the number of pixels along a side of a pixel of the page, for dense screens.
const pictureScale = 2

// embedPictures are PNG files for light and for dark pages.
type embedPictures struct {
	light, dark   []byte
	width, height int // in pixels of the page
}

// pictures draws the explanation, at most maximum pixels of the page wide.
func (x explained) pictures(maximum int) (out embedPictures, err error) {
	for dark, file := range map[bool]*[]byte{false: &out.light, true: &out.dark} {
		p, err := draw.Auto(x.Bag, x.Picture, x.Report,
			x.look.options(draw.Options{ClassNames: x.Classes, Width: maximum, Scale: pictureScale,
				Dark: dark}))
		if err != nil {
			return out, err
		}
		var data bytes.Buffer
		if err := p.EncodePNG(&data); err != nil {
			return out, err
		}
		*file, out.width, out.height = data.Bytes(), p.Width/pictureScale, p.Height/pictureScale
	}
	return out, nil
}

// inside returns a <picture> that holds both files.
func (p embedPictures) inside(words string) string {
	address := func(file []byte) string {
		return "data:image/png;base64," + base64.StdEncoding.EncodeToString(file)
	}
	return pictureOf(`srcset="`+address(p.dark)+`"`, fmt.Sprintf(
		`src="%s" width="%d" height="%d" style="max-width: 100%%; height: auto"`,
		address(p.light), p.width, p.height), words)
}

// besidePicture is what phones show beside a picture, in pixels of the page.
const besidePicture = 40

// beside returns a <picture> of files in a folder. Its width is stated without an attribute style,
// which JSX does not take as a text and strict policies forbid.
func (p embedPictures) beside(folder, words string) string {
	// Spaces end an address of a srcset, and commas may.
	plain := strings.NewReplacer(" ", "%20", ",", "%2C")
	address := func(file string) string { return escaped(plain.Replace(folder) + file) }
	candidate := func(file string) string {
		return fmt.Sprintf(`srcset="%s %dw" sizes="(max-width: %dpx) calc(100vw - %dpx), %dpx"`,
			address(file), p.width*pictureScale, p.width+besidePicture, besidePicture, p.width)
	}
	return pictureOf(candidate(darkPicture),
		candidate(lightPicture)+` src="`+address(lightPicture)+`"`, words)
}

// pictureOf returns a <picture> of the attributes of its files, with its words as its alternative.
func pictureOf(dark, light, words string) string {
	return `<picture>
<source media="(prefers-color-scheme: dark)" ` + dark + ` />
<img ` + light + ` alt="` + escaped(words) + `" />
</picture>
`
}

// mostInWords is the largest number of instances that words list for and against a class.
const mostInWords = 3

// words returns the summary and the explanation of one class in sentences, for readers who do not
// see the picture.
func (x explained) words() string {
	e := x.first()
	var others []string
	for _, other := range x.Report.Explanations {
		if other.Class != e.Class {
			others = append(others, x.Classes[other.Class])
		}
	}
	name := x.Classes[e.Class]
	text := strings.Join(append(x.Summary[:len(x.Summary):len(x.Summary)], ""), " ")
	text += fmt.Sprintf("%s, %d %s, explained by %s. The model's answer for %s: %s %s. "+
		"Support: %s. Against: %s. Not standing out: %d of %d. Scores are in %s.",
		x.Bag.Name, x.Bag.Len(), x.Noun().Of(x.Bag.Len()), methodTitle(e.Method), name,
		x.Report.Units[e.Class], cli.Short(x.Report.Prediction[e.Class]), x.strongest(e, 1),
		x.strongest(e, -1), e.Unclear(), len(e.Scores), e.Unit)
	if len(others) > 0 {
		text += " Also explained: " + strings.Join(others, "; ") + "."
	}
	return text
}

// first returns the explanation that a picture shows first: that of the predicted class, or the
// first one if that is not explained or the classes have several units.
func (x explained) first() core.Explanation {
	r := x.Report
	if slices.ContainsFunc(r.Units, func(u core.Unit) bool { return u != r.Units[0] }) {
		return r.Explanations[0]
	}
	top := slices.Index(r.Prediction, slices.Max(r.Prediction))
	at := slices.IndexFunc(r.Explanations, func(e core.Explanation) bool { return e.Class == top })
	return r.Explanations[max(at, 0)]
}

// strongest lists the instances with the largest evident scores of a sign, with their number.
func (x explained) strongest(e core.Explanation, sign float64) string {
	size := func(i int) float64 { return sign * (e.Scores[i] - e.Neutral) }
	var some []int
	for i := range e.Scores {
		if e.Evident[i] && size(i) > 0 {
			some = append(some, i)
		}
	}
	if len(some) == 0 {
		return "no " + x.Noun().One
	}
	slices.SortStableFunc(some, func(a, b int) int { return cmp.Compare(size(b), size(a)) })
	listed := some[:min(len(some), mostInWords)]
	text := make([]string, len(listed))
	for n, i := range listed {
		text[n] = strconv.Itoa(core.Number(x.Position(i))) + " (" + cli.Signed(e.Scores[i]) + ")"
	}
	most := strings.Join(text, ", ")
	if len(some) > len(listed) {
		return fmt.Sprintf("%d %s, most of all %s", len(some), x.Noun().Several, most)
	}
	return x.Noun().Of(len(some)) + " " + most
}

// methodTitle returns the title of a method of the table.
func methodTitle(name string) string {
	for _, m := range methods.All() {
		if m.Name == name {
			return m.Title
		}
	}
	return name
}
