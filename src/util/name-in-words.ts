/** A name in words: `firstName` and `first_name` are 'First name'. */
export function nameInWords(name: string): string {
  const words = name.replace(/([a-z\d])([A-Z])/g, '$1 $2').split(/[\s_.-]+/);
  const text = words.map((word) => (/^[A-Z]{2}/.test(word) ? word : word.toLowerCase())).join(' ');
  return text.trim().replace(/^./, (first) => first.toUpperCase()) || name;
}
