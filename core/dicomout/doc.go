// Package dicomout writes explanations of DICOM pictures as DICOM files (PS3.10), which refer to
// the pictures, so that picture archives and viewers show them beside these.
//
//	bag, report ──┬─ Segmentation ──► a map: a segment of what supports, one of what refutes
//	              └─ Report ────────► key slices or regions with their scores (TID 1500)
//
// Files are in explicit VR, little endian; frames of maps are compressed by RLE, without loss.
//
// # Private attributes
//
// A file has the UIDs of the study, of the series and of the pictures, because it could not refer
// to them otherwise. Attributes that name a patient, a study or a person are empty unless
// [Options].Identifiers gives their values.
package dicomout
