// What is no part of the first screen: one file that is fetched behind it, before the page forbids
// itself to fetch.
export { default as BatchPanel } from './batch/BatchPanel.svelte';
export { default as CheckPanel } from './whatif/CheckPanel.svelte';
export { default as ClassNames } from './open/ClassNames.svelte';
export { default as ColumnForm } from './open/ColumnForm.svelte';
export { default as CompareBar } from './explain/CompareBar.svelte';
export { default as EvidenceList } from './map/EvidenceList.svelte';
export { default as ExportBar } from './save/ExportBar.svelte';
export { default as InputForm } from './open/InputForm.svelte';
export { default as InsidePanel } from './whatif/InsidePanel.svelte';
export { default as JudgePanel } from './judge/JudgePanel.svelte';
export { default as OtherMap } from './map/OtherMap.svelte';
export { default as PatchForm } from './picture/PatchForm.svelte';
export { default as PlacePane } from './picture/PlacePane.svelte';
export { default as PreflightPanel } from './open/PreflightPanel.svelte';
export { default as PrivacyPanel } from './open/PrivacyPanel.svelte';
export { default as SlidePane } from './slide/SlidePane.svelte';
export { default as TargetForm } from './open/TargetForm.svelte';
export { default as TileSketch } from './open/TileSketch.svelte';
export { default as TilingForm } from './slide/TilingForm.svelte';
export { describeEncoder, pair, useEncoder } from './slide/slidebag';
export { applySlideFiles, slideFiles } from './slide/slidefiles';
export { default as VolumePane } from './volume/VolumePane.svelte';
export { default as WhatIfPanel } from './whatif/WhatIfPanel.svelte';
export { default as PairLines } from './whatif/PairLines.svelte';
export { dataNamed } from './save/files';
