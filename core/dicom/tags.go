package dicom

import "slices"

// A tag is the group and the element of an attribute (PS3.6).
type tag uint32

// The attributes that are read. All others are skipped by their lengths.
const (
	tagMediaClass      tag = 0x0002_0002 // class of the file
	tagSyntax          tag = 0x0002_0010
	tagImageType       tag = 0x0008_0008
	tagCharacters      tag = 0x0008_0005
	tagClass           tag = 0x0008_0016
	tagUID             tag = 0x0008_0018
	tagModality        tag = 0x0008_0060
	tagThickness       tag = 0x0018_0050
	tagStudy           tag = 0x0020_000d
	tagSeries          tag = 0x0020_000e
	tagSeriesNumber    tag = 0x0020_0011
	tagInstance        tag = 0x0020_0013
	tagPosition        tag = 0x0020_0032
	tagOrientation     tag = 0x0020_0037
	tagReference       tag = 0x0020_0052 // frame of reference
	tagPlanePosition   tag = 0x0020_9113
	tagPlaneOrient     tag = 0x0020_9116
	tagConcatenation   tag = 0x0020_9161
	tagFrameOffset     tag = 0x0020_9228
	tagTiling          tag = 0x0020_9311
	tagSamples         tag = 0x0028_0002
	tagPhotometric     tag = 0x0028_0004
	tagPlanar          tag = 0x0028_0006
	tagFrames          tag = 0x0028_0008
	tagRows            tag = 0x0028_0010
	tagColumns         tag = 0x0028_0011
	tagPixelSpacing    tag = 0x0028_0030
	tagAllocated       tag = 0x0028_0100
	tagStored          tag = 0x0028_0101
	tagHighBit         tag = 0x0028_0102
	tagSigned          tag = 0x0028_0103
	tagBurnedIn        tag = 0x0028_0301
	tagCenter          tag = 0x0028_1050
	tagWidth           tag = 0x0028_1051
	tagIntercept       tag = 0x0028_1052
	tagSlope           tag = 0x0028_1053
	tagFunction        tag = 0x0028_1056
	tagRed             tag = 0x0028_1101 // descriptors of palettes; green and blue follow
	tagRedData         tag = 0x0028_1201
	tagRedSegments     tag = 0x0028_1221
	tagModalityLUT     tag = 0x0028_3000
	tagLUTDescriptor   tag = 0x0028_3002
	tagLUTData         tag = 0x0028_3006
	tagVOILUT          tag = 0x0028_3010
	tagPixelMeasures   tag = 0x0028_9110
	tagFrameVOI        tag = 0x0028_9132
	tagTransformation  tag = 0x0028_9145
	tagSlideX          tag = 0x0040_072a // whole slides
	tagSlideY          tag = 0x0040_073a
	tagSlideZ          tag = 0x0040_074a
	tagMatrixColumns   tag = 0x0048_0006
	tagMatrixRows      tag = 0x0048_0007
	tagMatrixOrigin    tag = 0x0048_0008
	tagSlideOrient     tag = 0x0048_0102
	tagOpticalPath     tag = 0x0048_0105
	tagObjective       tag = 0x0048_0112
	tagPlaneSlide      tag = 0x0048_021a
	tagPlaneColumn     tag = 0x0048_021e
	tagPlaneRow        tag = 0x0048_021f
	tagOpticalPaths    tag = 0x0048_0302
	tagFocalPlanes     tag = 0x0048_0303
	tagShared          tag = 0x5200_9229
	tagPerFrame        tag = 0x5200_9230
	tagExtendedOffsets tag = 0x7fe0_0001
	tagFloatPixels     tag = 0x7fe0_0008
	tagDoublePixels    tag = 0x7fe0_0009
	tagPixels          tag = 0x7fe0_0010

	tagItem        tag = 0xfffe_e000
	tagItemEnd     tag = 0xfffe_e00d
	tagSequenceEnd tag = 0xfffe_e0dd
)

// wanted are the attributes whose values are kept, in ascending order.
var wanted = []tag{tagMediaClass, tagSyntax, tagCharacters, tagImageType, tagClass, tagUID,
	tagModality, tagThickness, tagStudy, tagSeries, tagSeriesNumber, tagInstance, tagPosition,
	tagOrientation, tagReference, tagConcatenation, tagFrameOffset, tagTiling, tagSamples,
	tagPhotometric, tagPlanar, tagFrames, tagRows, tagColumns, tagPixelSpacing, tagAllocated,
	tagStored, tagHighBit, tagSigned, tagBurnedIn, tagCenter, tagWidth, tagIntercept, tagSlope,
	tagFunction, tagRed, tagRed + 1, tagRed + 2, tagRedData, tagRedData + 1, tagRedData + 2,
	tagRedSegments, tagLUTDescriptor, tagLUTData, tagSlideX, tagSlideY, tagSlideZ,
	tagMatrixColumns, tagMatrixRows, tagSlideOrient, tagObjective, tagPlaneColumn, tagPlaneRow,
	tagOpticalPaths, tagFocalPlanes}

// nested are the sequences whose items are read.
var nested = []tag{tagPlanePosition, tagPlaneOrient, tagPixelMeasures, tagModalityLUT, tagVOILUT,
	tagFrameVOI, tagTransformation, tagOpticalPath, tagMatrixOrigin, tagPlaneSlide, tagShared,
	tagPerFrame}

func (t tag) wanted() bool { return slices.Contains(wanted, t) }
func (t tag) nested() bool { return slices.Contains(nested, t) }
