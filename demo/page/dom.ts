/** Attributes of a new element, and listeners under names that begin with `on`. */
export type Props = Readonly<Record<string, string | boolean | undefined | ((event: Event) => void)>>;

/** Makes an element. Texts are never read as markup. */
export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  props: Props = {},
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (typeof value === 'function') element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, '');
    else if (typeof value === 'string') element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

/** Enables or disables a button. A disabled button loses the focus, so a focused one gives it to another element first. */
export function setDisabled(button: HTMLButtonElement, off: boolean, next: HTMLElement | undefined): void {
  if (off && document.activeElement === button) next?.focus();
  button.disabled = off;
}

/** Brings children into an order. Moves only those at a wrong place, so that focus and selection survive. */
export function arrange(parent: Element, children: readonly Element[]): void {
  const keep = new Set(children);
  for (const child of [...parent.children]) if (!keep.has(child)) child.remove();
  for (const [i, child] of children.entries()) {
    const there = parent.children[i] ?? null;
    if (there !== child) parent.insertBefore(child, there);
  }
}
