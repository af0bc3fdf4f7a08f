// Regions that the user draws on a slide.

/** The corners of a region in pixels of level 0. */
export type Region = readonly { readonly x: number; readonly y: number }[];

/** Regions as a file that the engine reads: GeoJSON, a feature for each. */
export function regionFile(regions: readonly Region[], name: string): File {
  const features = regions.map((region) => {
    const ring = [...region, region[0]!].map(({ x, y }) => [Math.round(x), Math.round(y)]);
    return { type: 'Feature', geometry: { type: 'Polygon', coordinates: [ring] } };
  });
  return new File(
    [JSON.stringify({ type: 'FeatureCollection', origin: { x: 0, y: 0 }, features })],
    name,
  );
}
