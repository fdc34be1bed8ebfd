/** Whether a text may hold a number that `JSON.parse` would round. Looks at about every sixteenth character; a pattern would at all. */
export function hasLongNumber(text: string): boolean {
  // Sixteen places are looked through from behind: what is no digit there moves them past it.
  for (let end = 15, at = end; end < text.length; ) {
    const code = text.charCodeAt(at);
    if (code < 46 || code > 57 || code === 47) at = end = at + 16;
    else if (at === end - 15) return true;
    else at -= 1;
  }
  return false;
}
