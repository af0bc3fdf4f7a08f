/**
 * Keeps OpenSeadragon from adding a style element, which a strict Content-Security-Policy forbids.
 * It removes a frame on phones about a viewer that has the focus. OpenSeadragon looks for the
 * element first; one that is not of HTML has no effect and no policy.
 */
export function withoutStyles(): void {
  const name = "data-openseadragon-mobile-css";
  if (document.querySelector(`style[${name}]`)) return;
  const stand = document.createElementNS("about:none", "style");
  stand.setAttribute(name, "");
  document.head.append(stand);
}
