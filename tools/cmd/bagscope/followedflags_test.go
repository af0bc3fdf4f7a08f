package main

import (
	"encoding/binary"
	"image"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/bagio"
	"github.com/bagscope/bagscope/internal/advice"
	"github.com/bagscope/bagscope/internal/must"
	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"
)

// plainSlide is an uncompressed TIFF file of a coloured square, which states no microns.
func plainSlide(t *testing.T) string {
	return writeTemp(t, "slide.tif", repeatedPlain(64))
}

// repeatedPlain returns a TIFF file of side by side red pixels in one strip.
func repeatedPlain(side int) []byte {
	pixels := strings.Repeat("\xc0\x10\x20", side*side)
	tags := [][3]uint32{{256, 4, uint32(side)}, {257, 4, uint32(side)}, {258, 3, 8}, {259, 3, 1},
		{262, 3, 2}, {273, 4, 8}, {277, 3, 3}, {278, 4, uint32(side)},
		{279, 4, uint32(len(pixels))}}
	le := binary.LittleEndian
	file := append([]byte("II*\x00\x00\x00\x00\x00"), pixels...)
	le.PutUint32(file[4:], uint32(len(file)))
	file = le.AppendUint16(file, uint16(len(tags)))
	for _, tag := range tags {
		file = le.AppendUint16(le.AppendUint16(file, uint16(tag[0])), uint16(tag[1]))
		file = le.AppendUint32(le.AppendUint32(file, 1), tag[2])
	}
	return append(file, 0, 0, 0, 0)
}

// TestFollowedFlags follows advice that names flags, or settings that are flags.
func TestFollowedFlags(t *testing.T) {
	const zoo = "../../../testdata/models/zoo/deepsets_mean/"
	out := func(t *testing.T, name string) string { return filepath.Join(t.TempDir(), name) }
	bags := func(t *testing.T) []string {
		return words("--model", exampleModel, "--bag", exampleBags)
	}
	urls := words("--model-url https://example.org/m.onnx --bag-url https://example.org/b.npz")
	methods := func(t *testing.T, message string, args []string) []string {
		return append(without("--method")(t, message, args), "--method", "single")
	}
	follows(t, advice.Of(t), []problem{
		{name: "microns of a slide", args: func(t *testing.T) []string {
			return words("tiles --whole-slide --mpp .5 --patch-size 16 --out", out(t, "o.h5"),
				plainSlide(t))
		}, follow: plus("--slide-mpp", ".25")},
		{name: "no microns", args: func(t *testing.T) []string {
			return words("tiles --whole-slide --mpp .5 --patch-size 16 --out", out(t, "o.h5"),
				plainSlide(t))
		}, follow: func(t *testing.T, message string, args []string) []string {
			args[3] = "0" // "take 0 microns"
			return args
		}},
		{name: "a likeness to nothing", args: func(t *testing.T) []string {
			return append(words("predict --likeness dot"), vectorAndBag(t)...)
		}, follow: func(t *testing.T, _ string, args []string) []string {
			return append(args, "--target-bag", last(args, "--bag"))
		}},
		{name: "vectors of no concept", args: func(t *testing.T) []string {
			return append(words("groups --save-vectors", out(t, "v.npz")), bags(t)...)
		}, follow: plus("--concepts", "8s=16-17; others=0-15")},
		{name: "vectors of each bag", args: func(t *testing.T) []string {
			args := words("groups --class 1 --every-bag --concepts 8s=16-17;others=0-15")
			return append(append(args, "--save-vectors", out(t, "v.npz")), bags(t)...)
		}, follow: func(t *testing.T, _ string, args []string) []string {
			return slices.DeleteFunc(args, func(a string) bool { return a == "--every-bag" })
		}},
		{name: "a target of classes", args: func(t *testing.T) []string {
			args := append(words("predict"), vectorAndBag(t)...)
			return append(args, "--target-bag", last(args, "--bag"), "--card",
				writeTemp(t, "card.json", []byte(`{"output": "raw"}`)))
		}, follow: card("output")},
		{name: "a slide of one colour", about: "whole-slide", args: func(t *testing.T) []string {
			return words("tiles --mpp 0 --patch-size 16 --out", out(t, "o.h5"), plainSlide(t))
		}, follow: plus("--whole-slide")},
		{name: "a high threshold", about: "tissue-threshold", args: func(t *testing.T) []string {
			return words("tiles --mpp 1 --patch-size 16 --tissue-threshold 255 --out", out(t,
				"o.h5"), smallSlide)
		}, follow: plus("--tissue-threshold", "1")},
		{name: "tissue in every pixel", about: "min-tissue", args: func(t *testing.T) []string {
			return words("tiles --mpp 1 --patch-size 64 --min-tissue 1 --out", out(t, "o.h5"),
				smallSlide)
		}, follow: plus("--min-tissue", ".01")},
		{name: "tissue of a file", about: "states the tissue", args: func(t *testing.T) []string {
			return words("tiles --whole-slide --mpp 1 --patch-size 16 --out", out(t, "o.h5"),
				smallSlide, "--tissue", drawnSquare(t))
		}, follow: less("--whole-slide")},
		{name: "too little tissue of a file", about: "is left", args: func(t *testing.T) []string {
			return words("tiles --mpp 1 --patch-size 64 --min-tissue 1 --out", out(t, "o.h5"),
				smallSlide, "--tissue", drawnSquare(t))
		}, follow: plus("--min-tissue", ".01")},
		{name: "a grid at places", args: func(t *testing.T) []string {
			return words("tiles --whole-slide --mpp 1 --patch-size 16 --out", out(t, "o.h5"),
				smallSlide, "--places", writeTemp(t, "p.csv",
					[]byte("x,y,width,height\n9,3,16,16\n40,3,16,16\n")))
		}, follow: less("--whole-slide")},
		{name: "places in micrometres on a slide without", args: func(t *testing.T) []string {
			return words("tiles --mpp 1 --patch-size 16 --out", out(t, "o.h5"), plainSlide(t),
				"--places", writeTemp(t, "p.csv", []byte("x_um,y_um\n0,0\n8,0\n")))
		}, follow: plus("--slide-mpp", ".5")},
		{name: "lesions without micrometres", args: func(t *testing.T) []string {
			return lesionsOf(t, featuresWithoutMicrons(t))
		}, follow: plus("--slide-mpp", ".25")},
		{name: "a dark threshold", args: func(t *testing.T) []string {
			return words("predict --background .5 --model", exampleModel, "--bag",
				writeTemp(t, "a.png", pngBytes(t, 28, 28)))
		}, follow: plus("--background", "255")},
		{name: "a word", args: func(t *testing.T) []string {
			return words("explain", exampleBags)
		}, follow: func(t *testing.T, _ string, _ []string) []string {
			return words("explain --help")
		}},
		{name: "a slide in HTML", about: "is a whole slide", args: func(t *testing.T) []string {
			return append(words("embed --method single --card-url https://example.org/m.json",
				"--model", headWithEncoder(t), "--bag", smallSlide, "--out", out(t, "o.html")),
				urls...)
		}, follow: func(t *testing.T, message string, args []string) []string {
			features := out(t, "f.h5")
			succeed(t, "tiles", smallSlide, "--mpp", "1", "--encoder", meanEncoder(t),
				"--out", features)
			return append(words("embed --method single --model", writeTemp(t, "head.onnx",
				slideHead(3)), "--bag", features, "--out", last(args, "--out")), urls...)
		}},
		{name: "a whole slide drawn", about: "is a whole slide", args: func(t *testing.T) []string {
			return append(words("embed --method single --card-url https://example.org/m.json",
				"--model", headWithEncoder(t), "--bag", smallSlide, "--out", out(t, "o.html")),
				urls...)
		}, follow: func(t *testing.T, message string, args []string) []string {
			return without("--model-url", "--bag-url")(t, message, slices.Delete(args, 3, 5))
		}},
		{name: "a method that the model lacks", args: func(t *testing.T) []string {
			return words("evaluate --metrics srg --method inherent --model", zoo+"model.onnx",
				"--bags", zoo+"bag_5.npy")
		}, follow: plus("--method", "all")},
		{name: "a picture of two methods", args: func(t *testing.T) []string {
			return append(append(words("explain"), bags(t)...), words("--png",
				out(t, "o.png"), "--method", "single,one_removed")...)
		}, follow: methods},
		{name: "a page of two methods", args: func(t *testing.T) []string {
			return append(words("embed --method single,one_removed --out", out(t, "o.html")),
				bags(t)...)
		}, follow: methods},
		{name: "an option that the element lacks", args: func(t *testing.T) []string {
			return append(append(words("embed --method single --overlap 2 --out", out(t, "o.html")),
				bags(t)...), urls...)
		}, follow: without("--model-url", "--bag-url")},
		{name: "a model on a server in a page", args: func(t *testing.T) []string {
			near := "oip+" + serving(t, "--models", filepath.Dir(exampleModel)) + "/model"
			return append(words("embed --method single --bag", exampleBags, "--model", near,
				"--out", out(t, "o.html")), urls...)
		}, follow: without("--model-url", "--bag-url")},
		{name: "a card beside the model", args: func(t *testing.T) []string {
			model := writeTemp(t, "m.onnx", must.Get(os.ReadFile(exampleModel))(t))
			cardBeside(t, model, `{"negative": 0}`)
			return append(words("embed --method single --bag", exampleBags, "--model", model,
				"--out", out(t, "o.html")), urls...)
		}, follow: plus("--card-url", "https://example.org/m.json")},
		{name: "several classes", args: func(t *testing.T) []string {
			return words("evaluate --method single --metrics ndcg --model", featureModel, "--bags",
				placedBag, "--annotations", writeTemp(t, "a.geojson", []byte(outline)))
		}, follow: func(t *testing.T, _ string, args []string) []string {
			return append(args, words("--annotation-class Tumor --annotation-class Stroma")...)
		}},
		{name: "coalitions of no sampler", args: func(t *testing.T) []string {
			return append(words("explain --method single --coalitions", writeTemp(t, "c.txt",
				[]byte("11111111111111111111\n"))), bags(t)...)
		}, follow: plus("--method", "random_shap"), later: "coalition"},
		{name: "an open server", args: func(t *testing.T) []string {
			return words("serve --listen 0.0.0.0:99999 --models", filepath.Dir(exampleModel))
		}, follow: plus("--open"), later: "99999"},
		{name: "an open server with a token", args: func(t *testing.T) []string {
			return words("serve --open --listen 0.0.0.0:99999 --token-file", writeTemp(t, "t",
				[]byte("0123456789abcdef\n")), "--models", filepath.Dir(exampleModel))
		}, follow: without("--token-file"), later: "99999"},
		{name: "places in micrometres", args: func(t *testing.T) []string {
			return words("explain --method single --model", fourModel, "--bag",
				filepath.Join(toolFolder(t), "stamp-2.5.0.h5"), "--geojson", out(t, "o.geojson"))
		}, follow: plus("--slide-mpp", ".25")},
		{name: "an origin in micrometres", args: func(t *testing.T) []string {
			return words("explain --method single --origin canvas --model", fourModel, "--bag",
				filepath.Join(toolFolder(t), "stamp-2.5.0.h5"))
		}, follow: plus("--slide-mpp", ".25")},
		{name: "a stage without a bag", args: func(t *testing.T) []string {
			m := ot.Model{Opset: 13, Inputs: []ot.Value{ot.In("x", "k", "d")},
				Outputs: []ot.Value{ot.In("y", "d")}, Nodes: []ot.Node{ot.N("ReduceMean",
					[]string{"x"}, []string{"y"}, ot.Ints("axes", 0), ot.Int("keepdims", 0))}}
			return words("inspect --stage plan --model", writeTemp(t, "m.onnx", m.Bytes()))
		}, follow: func(t *testing.T, message string, args []string) []string {
			return append(args, "--bag", table(t, 5, 3))
		}},
		{name: "few coalitions", about: "are better", args: func(t *testing.T) []string {
			return append(words("explain --samples 1 --method random_shap"), bags(t)...)
		}, follow: func(t *testing.T, message string, args []string) []string {
			better := regexp.MustCompile(`(\d+) are better`).FindStringSubmatch(message)
			return append(args, "--samples", better[1])
		}},
		{name: "few coalitions of each", about: "errors need", args: func(t *testing.T) []string {
			return append(words("explain --samples 12 --method random_lime"), bags(t)...)
		}, follow: plus("--samples", "600")},
		{name: "two slides", args: func(t *testing.T) []string {
			return words("tiles --whole-slide --mpp 1 --patch-size 16", smallSlide, smallSlide)
		}, follow: func(t *testing.T, message string, args []string) []string {
			return words("tiles --whole-slide --mpp 1 --patch-size 16", smallSlide, "--out",
				out(t, "bag.h5"))
		}},
		{name: "no negative class", args: func(t *testing.T) []string {
			return append(append(words("explain --method milli --samples 40 --rank negative-class"),
				bags(t)...), "--card", writeTemp(t, "card.json", []byte(`{"negative": -1}`)))
		}, follow: plus("--rank", "explained-class")},
	})
}

// less returns a function that removes a flag without a value, which the message must name.
func less(flag string) func(*testing.T, string, []string) []string {
	return func(t *testing.T, message string, args []string) []string {
		must.Contain(t, message, strings.TrimPrefix(flag, "--"))
		return slices.DeleteFunc(slices.Clone(args), func(arg string) bool { return arg == flag })
	}
}

// drawnSquare writes annotations with a square of 32 pixels.
func drawnSquare(t *testing.T) string {
	return writeTemp(t, "drawn.xml", []byte(`<Annotations><Annotation><Regions>`+
		`<Region Type="Rectangle"><Vertices><V X="0" Y="0"/><V X="32" Y="32"/></Vertices>`+
		`</Region></Regions></Annotation></Annotations>`))
}

// featuresWithoutMicrons writes features of two patches of a slide, whose file does not state the
// micrometres of its pixels.
func featuresWithoutMicrons(t *testing.T) string {
	folder := t.TempDir()
	file := bagio.FeatureFile{Name: "a", PatchSize: 16, Features: 3,
		Corners: []image.Point{{}, {X: 4096}}, Slide: core.Slide{PatchSize: 4096}}
	data := append(must.Get(file.Head())(t), make([]byte, 4*3*2)...)
	must.Do(t, os.WriteFile(filepath.Join(folder, "a.h5"), data, 0o600))
	return folder
}

// lesionsOf returns the arguments that judge a folder of features.
func lesionsOf(t *testing.T, folder string) []string {
	return words("evaluate --method single --metrics ndcg --model", lesionModel(t), "--bags",
		folder, "--annotations", filepath.Dir(drawnSquare(t)))
}

// vectorAndBag returns the flags of a model that returns a vector, and of a bag.
func vectorAndBag(t *testing.T) []string {
	return on("", meanOf(0, []any{"k", 65}, []any{65}, node("Identity", "m", "y")), 3, 65)(t)
}
