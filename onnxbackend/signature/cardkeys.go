package signature

import (
	"math"
	"slices"

	"github.com/bagscope/bagscope/core"
)

// A CardKey declares a key of model cards. The check of cards, the JSON Schema and the tables of
// the documentation are made from it.
type CardKey struct {
	Name     string // AnyName for every key of an object whose keys are names
	Help     string // what its value states, a phrase
	Without  string // what holds without the key, a phrase; "" if it is required
	Required bool
	Forms    []CardForm // its value has one of these forms
}

//go:generate go run ../../tools/gen/card ..

// AnyName is the Name of a key that stands for every key of its object.
const AnyName = "NAME"

// A CardType is the JSON type of a value in a model card.
type CardType string

// Types of values. A whole number is within ±2^31; all numbers are finite. true and false count as
// the numbers 1 and 0 where a truth value is allowed.
const (
	CardText   CardType = "text"
	CardNumber CardType = "number"
	CardTruth  CardType = "truth value"
	CardWhole  CardType = "whole number"
	CardList   CardType = "list"
	CardObject CardType = "object"
)

// A CardForm is what a value may be. Forms of one key differ in their type, and objects in the word
// of their key "kind".
type CardForm struct {
	Type    CardType
	Words   []CardWord  // allowed words of a text; nil for any
	Longest int         // characters of a text, 0 for any number
	Range   *core.Range // allowed values of a number; nil for any
	Entries []CardForm  // forms of each entry of a list
	// Least and most entries of a list; 0 for no bound.
	Least, Most int
	Kind        string    // word of the object's key "kind", "" for objects without it
	KindHelp    string    // what an object of this kind states, a phrase
	Keys        []CardKey // keys of an object, without "kind"
}

// A CardWord is an allowed word.
type CardWord struct {
	Word string
	Help string // its meaning, a phrase
}

// keyKind is the key that tells objects of several forms apart.
const keyKind = "kind"

// Forms that several keys have.
var (
	anyText      = []CardForm{{Type: CardText}}
	numberOrList = []CardForm{{Type: CardNumber},
		{Type: CardList, Entries: []CardForm{{Type: CardNumber}}, Least: 1}}
	switchOrList = []CardForm{{Type: CardNumber}, {Type: CardTruth}, {Type: CardList,
		Entries: []CardForm{{Type: CardNumber}, {Type: CardTruth}}, Least: 1}}
	labels = []CardForm{{Type: CardWhole}, {Type: CardList, Entries: []CardForm{{Type: CardWhole}}}}
	texts  = []CardForm{{Type: CardList, Entries: anyText}}
	whole  = []CardForm{{Type: CardWhole}}
)

// CardKeys declares the keys of model cards, in the order of the documentation. To add a key, add
// its field to [Card], its declaration here and its line to read, then run make generate.
func CardKeys() []CardKey {
	band := []CardForm{{Type: CardWhole, Range: &core.Range{Least: 1, Most: core.MostBands}}}
	side := []CardForm{{Type: CardWhole, Range: &core.Range{Least: 0, Most: maxSide}}}
	return []CardKey{
		{Name: "classes", Help: "names of the classes, one for each score", Forms: texts,
			Without: "numbers from 0; " +
				"`positive` for the single probability of a model with one score"},
		{Name: "negative", Help: `number of the class that means "nothing found", -1 for none`,
			Without: "0 if there are several scores, otherwise none",
			Forms: []CardForm{{Type: CardWhole,
				Range: &core.Range{Least: -1, Most: math.Inf(1)}}}},
		{Name: "output", Help: "the scale of the scores of classes, or an object that states " +
			"what other scores mean",
			Without: "determined from the graph and from test runs", Forms: outputForms()},
		{Name: "output_name", Help: "name of the graph output with the class scores",
			Without: "the first floating-point output whose shape does not depend on the " +
				"number of instances", Forms: anyText},
		{Name: "pool", Help: "how the scores of instances become those of their bag, for a model " +
			"that scores each instance by itself: `mean`, `max`, `top:K` (mean of the K " +
			"largest), `lse` (logarithm of the mean of exponentials), `noisy-or` or `vote` " +
			"(share of the instances whose largest score it is), of the scores as the output has " +
			"them", Without: "the model pools its instances itself", Forms: anyText},
		{Name: "inherent", Help: "name of the graph output with one score per instance, such as " +
			"attention", Without: "the method Inherent is not available", Forms: anyText},
		{Name: "instance_axis", Help: "axis of the instances in the input, from 0; negative " +
			"values count from the end",
			Without: "the open axis; test runs decide if there are several", Forms: whole},
		{Name: "preprocess", Help: "how a raw pixel v of channel c becomes an input: (v · " +
			"`scale` - `mean`[c]) / `std`[c]", Without: "pixels are not changed, with a note",
			Forms: []CardForm{{Type: CardObject, Keys: []CardKey{
				{Name: "scale", Help: "factor of a pixel", Without: "1",
					Forms: []CardForm{{Type: CardNumber}}},
				{Name: "mean", Help: "mean of each channel; a single entry applies to all channels",
					Without: "0", Forms: numberOrList},
				{Name: "std", Help: "standard deviation of each channel, not 0; a single entry " +
					"applies to all channels", Without: "1", Forms: numberOrList},
			}}}},
		{Name: "patch", Help: "how pictures and slides are cut into instances",
			Without: "`--patch-size` and `--mpp` state it",
			Forms: []CardForm{{Type: CardObject, Keys: []CardKey{
				{Name: "size", Help: "side of a patch, in pixels",
					Without: "the side of the model's instances, if `mpp` is given", Forms: side},
				{Name: "stride", Help: "distance from one patch to the next, in pixels",
					Without: "`size`", Forms: side},
				{Name: "background",
					Help:    "mean brightness (0 to 255) from which a patch is omitted",
					Without: "no patch is omitted", Forms: []CardForm{{Type: CardNumber}}},
				{Name: "mpp", Help: "microns that a pixel of a patch of a slide covers",
					Without: "`--mpp` is needed for slides",
					Forms: []CardForm{{Type: CardNumber, Range: &core.Range{Least: 0,
						Most: math.Inf(1), Open: true}}}},
			}}}},
		{Name: "bands", Help: "which numbers of a TIFF file of bands, such as those of a " +
			"satellite, are the channels of pictures, before `preprocess`",
			Without: "all bands in the order of the file, if pictures have 2 or more than 3 " +
				"channels; else its colours",
			Forms: []CardForm{{Type: CardObject, Keys: []CardKey{
				{Name: "use", Help: "bands in the order of the channels, from 1",
					Without: "all bands in the order of the file",
					Forms: []CardForm{{Type: CardList, Entries: band, Least: 1,
						Most: core.MostBands}}},
				{Name: "draw", Help: "bands that are drawn as red, green and blue, or one that " +
					"is drawn grey", Without: "the first three of `use`, or its first one",
					Forms: []CardForm{{Type: CardList, Entries: band, Least: 1, Most: 3}}},
				{Name: "nodata", Help: "number that stands for a missing one, which becomes the " +
					"band's mean of `preprocess`",
					Without: "what the file states (GDAL_NODATA)",
					Forms:   []CardForm{{Type: CardNumber}}},
			}}}},
		{Name: "encoder", Help: "name of an `.onnx` file beside the model that encodes the " +
			"patches of slides: (n, channels, height, width) to (n, d)",
			Without: "`--encoder` names it", Forms: anyText},
		{Name: "via", Help: "name of an `.onnx` file beside the model that the bag goes through " +
			"first, such as the encoder of a slide before a head",
			Without: "`--via` names it, or the model takes the bag itself", Forms: anyText},
		{Name: "via_output", Help: "output of that file that becomes the model's input",
			Without: "the only one that fits", Forms: anyText},
		{Name: "likeness", Help: "how an embedding is compared with a target",
			Without: "`--likeness` states it, or it is the cosine",
			Forms: []CardForm{{Type: CardText, Words: []CardWord{
				{string(Cosine), "the cosine of the angle"}, {string(Dot), "the dot product"}}}}},
		{Name: "truth", Help: "for each class, the instance labels that support and refute it, " +
			"for metrics", Without: "metrics that need labels are not available",
			Forms: []CardForm{{Type: CardList,
				Entries: []CardForm{{Type: CardObject, Keys: []CardKey{
					{Name: "support", Help: "labels of instances that support the class",
						Without: "none", Forms: labels},
					{Name: "refute", Help: "labels of instances that refute the class",
						Without: "none", Forms: labels},
				}}}}}},
		{Name: "inputs", Help: "what each of several inputs takes, by its name",
			Without: "test runs identify masks, counts and the numbers of bags in a batch",
			Forms: []CardForm{{Type: CardObject, Keys: []CardKey{
				{Name: AnyName, Help: "the role of the input of this name, or its value for bags " +
					"that state none: a number, true or false for all elements, or a list " +
					"with one for each",
					Required: true,
					Forms: slices.Concat([]CardForm{{Type: CardText, Words: roles}},
						switchOrList)},
			}}}},
		{Name: "adjacency", Help: "how relations are built from the places of patches if the bag " +
			"has none, such as `radius(1.5) symmetric` or `knn(8)`",
			Without: "the bag or `--adjacency` gives them", Forms: anyText},
		{Name: "slide_mpp", Help: "microns that a pixel of a slide covers at full resolution, " +
			"for slides and files of coordinates that do not state them",
			Without: "`--slide-mpp` states them, or the map is in micrometres",
			Forms: []CardForm{{Type: CardNumber, Range: &core.Range{Least: 0, Most: math.Inf(1),
				Open: true}}}},
		{Name: "slice_axes", Help: "where instances, rows and columns of a NIfTI volume go, in " +
			"three letters, such as `kij` for nibabel's `data[:, :, k]`",
			Without: "slices lie across the third axis, turned as in DICOM files",
			Forms:   anyText},
		{Name: "window", Help: "centre and width that map grey values of DICOM and NIfTI to " +
			"pixels 0 to 255, before `preprocess`, such as `40,400`, or one for each channel " +
			"with semicolons between them",
			Without: "such values go into the model as they are", Forms: anyText},
		{Name: "spacing", Help: "distance of pixels in mm to which slices of DICOM and NIfTI are " +
			"interpolated, and behind a comma that of slices, such as `0.8,3`, or `fit` to scale " +
			"slices to the model's input",
			Without: "slices stay as they are", Forms: anyText},
		{Name: "neighbours", Help: "slices on each side of one that are its channels beside it, " +
			"such as 1 for a model that takes three slices as channels", Without: "none",
			Forms: []CardForm{{Type: CardWhole, Range: &core.Range{Least: 0,
				Most: core.MostNeighbours}}}},
		{Name: "columns", Help: "what columns of tables hold, and lists of MATLAB and AnnData: a " +
			"name, `=` and a role, such as `slide=bag; stain*=skip`; `--columns` and `--bag-by` " +
			"count before it", Without: "names and rows say it", Forms: anyText},
		{Name: "instance", Help: "what an instance is called, such as `digit`, or in singular " +
			"and plural, such as `nucleus, nuclei`",
			Without: "`patch` for instances with places, `slice` for those of volumes, " +
				"else `instance`", Forms: anyText},
		{Name: "feature_names", Help: "what each value of an instance is called, in their order",
			Without: "the bag's file names them, or nothing does",
			Forms:   texts},
		{Name: "version", Help: "version of the form of the card", Without: "1",
			Forms: []CardForm{{Type: CardWhole, Range: &core.Range{Least: 1, Most: 1}}}},
		{Name: "$schema", Help: "address of the JSON Schema of cards, for editors",
			Without: "nothing changes", Forms: anyText},
	}
}

// maxSide bounds the side of a patch and the stride, in pixels.
const maxSide = 1 << 20

// Roles of inputs.
const (
	RoleCount     = "count"     // it takes the number of instances
	RoleInstances = "instances" // it takes values of each instance
	RolePlaces    = "places"    // it takes the coordinates of each instance, x and y
	RoleAdjacency = "adjacency" // it takes a value for each pair of instances
	RoleEdges     = "edges"     // it takes the instances that each edge joins, (2, edges)
	RoleWeights   = "weights"   // it takes the value of each edge
	RoleCovariate = "covariate" // it takes values that each bag states, such as an age
)

// roles lists the roles, in the order of messages.
var roles = []CardWord{
	{RoleCount, "the number of instances"},
	{RoleInstances, "values of each instance"},
	{RolePlaces, "the coordinates of each instance, x and y"},
	{RoleAdjacency, "a value for each pair of instances, (k, k)"},
	{RoleEdges, "the instances that each edge joins, (2, edges)"},
	{RoleWeights, "the value of each edge"},
	{RoleCovariate, "values that each bag states, such as the age of a patient"},
}
