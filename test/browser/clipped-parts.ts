/** Runs in the page: says what is wider than the page, and which controls are cut off at their sides. */
export function clippedParts(): readonly string[] {
  // These scroll sideways on purpose: the columns of the grid, the lines of an order, the source, the inspector's texts.
  const SCROLLS = '.grid, .lines-scroll, pre, .conflict-table';
  const CONTROLS =
    'button, select, input:not([type="checkbox"]), textarea, h1, h2, h3, h4, [role="alert"], [role="status"]';
  const TOLERANCE = 1;
  const found: string[] = [];
  const { scrollWidth } = document.documentElement;
  if (scrollWidth > innerWidth) found.push(`The page is ${scrollWidth} px wide in a window of ${innerWidth} px`);
  for (const control of document.querySelectorAll<HTMLElement>(CONTROLS)) {
    if (!control.checkVisibility() || control.closest(`${SCROLLS}, .visually-hidden`)) continue;
    const label = (control.getAttribute('aria-label') || control.textContent || control.tagName).slice(0, 60);
    const { left, right } = control.getBoundingClientRect();
    let box: HTMLElement | null = control.parentElement;
    // A modal dialog is drawn above the page, so that the boxes around it do not cut it off.
    for (; box && !box.matches('dialog:modal'); box = box.parentElement) {
      if (getComputedStyle(box).overflowX === 'visible') continue;
      const sides = box.getBoundingClientRect();
      if (left < sides.left - TOLERANCE || right > sides.right + TOLERANCE)
        found.push(`"${label}" is cut off by ${box.className || box.localName}`);
    }
    if (left < -TOLERANCE || right > innerWidth + TOLERANCE) found.push(`"${label}" is outside of the window`);
    if (control.localName === 'button' && control.scrollWidth > control.clientWidth + TOLERANCE)
      found.push(`"${label}" has a text that is wider than the button`);
  }
  for (const words of document.querySelectorAll<HTMLElement>('.empty')) {
    if (!words.checkVisibility()) continue;
    const { left, right, top, bottom } = words.getBoundingClientRect();
    const hit = document.elementsFromPoint((left + right) / 2, (top + bottom) / 2);
    const covered = hit.find(
      (element) => element.matches('.pane input, .pane select, .pane button') && !element.closest('dialog'),
    );
    if (covered) found.push(`"${words.textContent}" lies over ${covered.getAttribute('aria-label') ?? covered.id}`);
  }
  return found;
}
