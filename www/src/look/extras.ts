// What is no part of the first screen: one file that is fetched behind it, before the page forbids
// itself to fetch.
export { default as BatchPanel } from './components/BatchPanel.svelte';
export { default as CheckPanel } from './components/CheckPanel.svelte';
export { default as ClassNames } from './components/ClassNames.svelte';
export { default as CompareBar } from './components/CompareBar.svelte';
export { default as EvidenceList } from './components/EvidenceList.svelte';
export { default as ExportBar } from './components/ExportBar.svelte';
export { default as InputForm } from './components/InputForm.svelte';
export { default as InsidePanel } from './components/InsidePanel.svelte';
export { default as JudgePanel } from './components/JudgePanel.svelte';
export { default as PatchForm } from './components/PatchForm.svelte';
export { default as PlacePane } from './components/PlacePane.svelte';
export { default as PreflightPanel } from './components/PreflightPanel.svelte';
export { default as PrivacyPanel } from './components/PrivacyPanel.svelte';
export { default as SlidePane } from './components/SlidePane.svelte';
export { default as TilingForm } from './components/TilingForm.svelte';
export { pair, useEncoder } from './lib/slidebag';
export { default as WhatIfPanel } from './components/WhatIfPanel.svelte';
export { default as PairLines } from './components/PairLines.svelte';
export { dataNamed } from './save/files';
