// Package figure draws the figures of the paper, and those of studies of settings, as SVG or PNG.
//
//	Curve, Size    MILLI's sampling curve against rank, both forms of the expected coalition size
//	               against beta
//	Lines          a metric against the number of coalitions, a line for each method
//	Heat           a metric over alpha and beta
//	Panels         pictures of a bag and its explanations under one another, with titles
//
// Hues are those of Okabe and Ito (2008), which people with any colour vision can distinguish.
// Lines also differ in dashes and marks. Equal input gives equal bytes.
package figure
