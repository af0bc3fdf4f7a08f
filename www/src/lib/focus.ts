// Browsers drop the focus of a control that is disabled, hidden or removed: the next Tab would begin
// at the top of the page.

const CONTROLS = 'a[href], button, summary, select, input, textarea, [tabindex="0"]';
/** Controls that open the keyboard of a phone, where nobody asked to write. */
const WRITTEN = 'textarea, input:not([type=checkbox], [type=radio], [type=range], [type=file])';

/** A control that has the focus, and what was around it when it got it. */
interface Place {
  control: HTMLElement;
  ancestors: HTMLElement[];
  /** All controls of the page, in the order of the document. */
  order: HTMLElement[];
}

/**
 * Keeps the focus near a control that cannot have it any more: on the control that replaces it, or
 * else the next, or else the previous one of the innermost part of the page that has one. If the
 * control can be used again before a key or a pointer is pressed, as after work that it started, the
 * focus returns to it. A control that only moves in the document, as the row of a table that is
 * sorted anew, keeps the focus.
 */
export function keepFocus(): void {
  let place: Place | null = null;
  let left: HTMLElement | null = null;
  /** What had the focus last, unless a pointer was pressed elsewhere since. */
  let recent: HTMLElement | null = null;

  function move(to: HTMLElement | undefined, from: HTMLElement | null) {
    if (!to) return;
    to.focus({ preventScroll: true });
    left = from;
  }

  function check(records: readonly MutationRecord[]) {
    const active = document.activeElement;
    const moved = records.some((r) => [...r.addedNodes].some((node) => node.contains(recent)));
    if (moved && recent && !isGone(recent) && (!active || active === document.body))
      recent.focus({ preventScroll: true });
    if (left && !isGone(left)) {
      if (active === place?.control) move(left, null);
      else left = null;
    }
    if (!place || !isGone(place.control)) return;
    if (active && active !== document.body && active !== place.control) return;
    move(successor(place), left ?? place.control);
  }

  document.addEventListener('focusin', ({ target }) => {
    if (!(target instanceof HTMLElement) || target === document.body) return;
    recent = target;
    place = placeOf(target);
  });
  // What is disabled or removed loses the focus, too: only a press elsewhere leaves it on purpose.
  document.addEventListener('focusout', ({ target }) =>
    queueMicrotask(() => {
      if (place?.control === target && !isGone(place.control)) place = null;
    }),
  );
  for (const press of ['keydown', 'pointerdown'])
    document.addEventListener(press, () => (left = null), { capture: true });
  document.addEventListener('pointerdown', () => (recent = null), { capture: true });
  new MutationObserver(check).observe(document.body, {
    attributeFilter: ['disabled', 'hidden', 'inert', 'open', 'tabindex'],
    childList: true,
    subtree: true,
  });
}

function placeOf(control: HTMLElement): Place {
  const ancestors: HTMLElement[] = [];
  for (let at = control.parentElement; at; at = at.parentElement) ancestors.push(at);
  return { control, ancestors, order: controlsIn(document.body) };
}

const controlsIn = (part: HTMLElement) => [...part.querySelectorAll<HTMLElement>(CONTROLS)];

/** Whether a control cannot have the focus, by its elements alone: a check of the layout is slow. */
function isGone(control: HTMLElement): boolean {
  return (
    !control.isConnected ||
    control.matches(':disabled') ||
    (control.tabIndex < 0 && !control.hasAttribute('tabindex')) ||
    control.closest('[hidden], [inert], dialog:not([open])') !== null
  );
}

/** The control that gets the focus of a place whose control is gone. */
function successor({ control, ancestors, order }: Place): HTMLElement | undefined {
  const at = order.indexOf(control);
  for (const part of ancestors) {
    if (!part.isConnected) continue;
    const here = controlsIn(part).filter(
      (other) => !isGone(other) && other.getClientRects().length > 0,
    );
    const added = control.isConnected ? [] : here.filter((other) => !order.includes(other));
    const again = added.find((other) => nameOf(other) === nameOf(control));
    if (again) return again;
    const offered = here.filter((other) => !other.matches(WRITTEN));
    if (offered.length === 0) continue;
    // What appears in the parent of a control that is removed, such as Cancel, replaces it.
    const replaced = part === ancestors[0] && added.find((other) => offered.includes(other));
    if (replaced) return replaced;
    const near = new Set(offered);
    return (
      order.slice(at + 1).find((other) => near.has(other)) ??
      order.slice(0, at).findLast((other) => near.has(other)) ??
      offered[0]
    );
  }
}

function nameOf(control: HTMLElement): string {
  const said = control.getAttribute('aria-label') ?? control.textContent.trim();
  return `${control.tagName} ${control.id || said}`;
}
