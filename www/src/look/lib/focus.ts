// Buttons that are disabled or hidden while their work runs.

/**
 * Attached to such a button, returns the focus to it when the work has ended: browsers take the
 * focus from a button that is disabled or hidden. Nothing happens if something else has the focus by
 * then, or if the button was not pressed.
 */
export function returnFocus(button: HTMLButtonElement): () => void {
  let pressed = false;
  const press = () => (pressed = true);
  const changes = new MutationObserver(() => {
    if (!pressed || button.disabled || button.hidden) return;
    pressed = false;
    if (document.activeElement === document.body) button.focus({ preventScroll: true });
  });
  button.addEventListener('click', press);
  changes.observe(button, { attributeFilter: ['disabled', 'hidden'] });
  return () => {
    button.removeEventListener('click', press);
    changes.disconnect();
  };
}
