// The element as HTML to be copied. It is what the preview shows, with the addresses of files
// beside the page.
import { embed as words } from '../strings';
import { attributes, type Choice } from './choice';

/** How the picture that stands in the element is called. */
export const PICTURE = 'explained.png';

export function snippet(choice: Choice): string {
  const { source, model, bag, card } = choice;
  const say = words.snippet;
  const files: [string, string][] = [
    ['model', address(source === 'own' ? model?.name : undefined, 'model.onnx')],
    ['bag', address(source === 'own' ? bag?.name : undefined, 'bags.npz')],
  ];
  if (source === 'own' && card) files.push(['card', address(card.name, '')]);
  const said = [...files, ...attributes(choice)].map(([name, value]) =>
    value === '' ? name : `${name}="${escaped(value)}"`,
  );
  return `<script type="module" src="bagscope/element.js"></script>

<div>
<bag-explainer ${said.join(' ')}>
  <img src="${PICTURE}" alt="${escaped(say.alt(say[source]))}" />
  <span slot="caption">${escaped(say.caption)}</span>
</bag-explainer>
</div>
`;
}

function address(name: string | undefined, otherwise: string): string {
  return name ? encodeURIComponent(name) : otherwise;
}

function escaped(text: string): string {
  const marks: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
  return text.replace(/[&<>"]/g, (mark) => marks[mark]!);
}
