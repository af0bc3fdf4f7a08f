package wire

// Parts of messages.
type (
	// File is a file that the user has chosen.
	File struct {
		Name  string
		Bytes []byte
	}
	// Block holds bytes, or names them in a file that the program maps read-only. The file must not
	// change while the bag is open.
	Block struct {
		Bytes  []byte // used if Path is ""
		Path   string
		Offset int // in bytes
		Length int // in bytes
	}
	// Relations hold a value for each pair of the k instances of a bag: a matrix, or edges.
	Relations struct {
		Matrix  *Block    // (k, k) float32, little-endian, row-major; nil for edges
		From    []int     // (edge) the instance where it begins
		To      []int     // (edge) the instance where it ends
		Weights []float64 // (edge)
	}
	// BagFile is a file of bags: its bytes or, if Part is above 0, the number of a file of Size
	// bytes that JavaScript keeps, which is read in parts until the request is answered. Width and
	// Height are above 0 for the RGBA pixels of a decoded picture, see bagio.File.
	BagFile struct {
		Name   string
		Bytes  []byte
		Part   int
		Size   int
		Width  int
		Height int
	}
	// Cut is bagio.Cut: how a picture is cut into patches.
	Cut struct {
		Size, Stride  int // of a patch, in pixels
		Background    float64
		Channels      int
		Width, Height int // of the picture
		Across, Down  int // patches in a row and in a column of the grid
		Means         []float64
	}
	// Patch says how the card of a model cuts a picture into patches.
	Patch struct {
		Size       int     // side in pixels
		Stride     int     // distance in pixels
		Background float64 // patches of at least this mean brightness are omitted, 0 for none
	}
	// Encoding states how the patches of a whole slide are laid and encoded. Nil and zero values
	// take what the cards of the model and of the encoder state, see ask.Lay.
	Encoding struct {
		Encoder string // path of the .onnx file that encodes patches, or ""
		// Folder holds the encoder that the model's card names; it is read if Encoder is "".
		Folder     string
		Card       string // JSON that overrides the encoder's own card, or ""
		PatchSize  int    // side in pixels
		Microns    *float64
		Overlap    *int
		Threshold  int
		MinTissue  float64
		WholeSlide bool
	}
	// Method is a row of core.Methods.
	Method struct {
		Name    string
		Title   string
		Summary string
		Cost    string
		Options []string
	}
	// DataSettings are the paper's settings for a data set. Options have their names in
	// JavaScript; an option that is absent has its default.
	DataSettings struct {
		Name    string
		Title   string
		Options []Setting
	}
	// ModelInfo is core.ModelInfo with the parts of the model card that pages show.
	ModelInfo struct {
		Name         string
		SHA256       string
		Opset        int
		Inputs       []TensorInfo
		Outputs      []TensorInfo
		Operators    []string
		Parameters   int
		Input        string
		InstanceAxis int
		Output       string
		Classes      []string
		Negative     int
		Scale        string
		Heads        []Head // empty for one head without a unit
		Inherent     string
		Truth        []Truth
		Notes        []string
		Patch        *Patch
		Preprocess   *Preprocess
		Microns      float64 // microns that a pixel of a patch covers, 0 if the card does not say
		Encoder      string  // name of the file that encodes patches, "" if the card does not say
	}
	// Head is core.Head: a group of classes with one meaning.
	Head struct {
		Name     string
		Kind     string
		Classes  int
		Scale    string
		Negative int
		Unit     string
	}
	// Curve is the survival curve of a head of hazards: the survival at each edge.
	Curve struct {
		Class    string
		Unit     string
		Edges    []float64
		Survival []float64
	}
	// Preprocess is the preprocessing of the model card.
	Preprocess struct {
		Scale     float64
		Mean, Std []float64 // one for each channel, or one for all channels
	}
	// TensorInfo is core.TensorInfo.
	TensorInfo struct {
		Name  string
		Type  string
		Shape []int
		Names []string
	}
	// Truth is core.Truth: the labels that support and refute a class.
	Truth struct {
		Support []int
		Refute  []int
	}
	// BagInfo describes a bag. Boxes are the places of its instances in a picture.
	BagInfo struct {
		Name      string
		Instances int
		Shape     []int
		Raw       bool
		Boxes     *[]Box
		Labels    *[]int
		Classes   *[]int
		Slide     *Slide // what the file says of the image behind the boxes, or nil
	}
	// Slide holds the fields of core.Slide; 0 is unknown.
	Slide struct {
		Width, Height      int
		Magnification, MPP float64
		PatchSize          int
	}
	// SlideInfo describes an open slide; see the fields of slide.Slide.
	SlideInfo struct {
		Name               string
		Format             string
		Levels             []SlideLevel
		MicronsX, MicronsY float64
		Magnification      float64
		// Private reports whether the file holds pictures that may name a patient. They are not
		// read.
		Private bool
	}
	// SlideLevel is slide.Level.
	SlideLevel struct {
		Width, Height         int
		TileWidth, TileHeight int
		Downsample            float64
	}
	// Box is a rectangle in pixels.
	Box struct{ X, Y, Width, Height int }
	// Tensor is an output of the model.
	Tensor struct {
		Name  string
		Type  string
		Shape []int
		Data  []float64
	}
	// Ranking holds the scores that order the instances, and the fit of the surrogate if there is
	// one.
	Ranking struct {
		Method string
		Class  int
		Scores []float64
		R2     *float64
	}
	// Judgement holds the metrics of one ranking. Morf and Lerf are the removal curves, most and
	// least relevant instances first; they are empty if no requested metric needs them.
	Judgement struct {
		Method  string
		Class   int
		Values  []Score
		Spread  *float64 // standard deviation of the random orders
		Trivial bool     // every order has the same value of some metric
		Morf    []float64
		Lerf    []float64
	}
	// Score is the value of a metric.
	Score struct {
		Metric  string
		Value   float64
		Trivial bool // every order has this value
	}
	// Band is the mean removal curve of random orders with its standard deviation.
	Band struct {
		Class     int
		Mean      []float64
		Deviation []float64
	}
	// Metric is a row of metric.Metrics.
	Metric struct {
		Name    string
		Title   string
		Summary string
		Labels  bool // it needs instance labels
		Lower   bool // lower values are better
	}
	// Shown holds the fields of an explanation that a drawing needs.
	Shown struct {
		Method  string
		Class   int
		Scores  []float64
		Unit    string
		Neutral float64
		Evident []bool // empty if every score is drawn as evidence
	}
	// Measured holds the fields of an explanation that a GeoJSON file needs.
	Measured struct {
		Method  string
		Class   int
		Scores  []float64
		Stderr  *[]float64
		Neutral float64
		Evident []bool
	}
	// Setting is a name with a string, bool, int or float64.
	Setting struct {
		Name  string
		Value any
	}
	// Cell is the place of an instance, or of its score for a class, in a drawing.
	Cell struct {
		Instance int
		Class    *int // nil for the instance itself
		X, Y     int
		Width    int
		Height   int
	}
)
