/**
 * The segments of a path that a front server passes on: it decodes the path once, takes backslashes for slashes, merges slashes, and
 * resolves `.` and `..`, as nginx does with `proxy_pass http://host/`.
 */
export function segmentsBehindFront(path: string): string[] {
  const segments: string[] = [];
  for (const each of segmentsOf(decoded(path))) {
    if (each === '..') segments.pop();
    else if (each !== '.') segments.push(each);
  }
  return segments;
}

/** The segments of a decoded path. Empty ones do not count. */
export function segmentsOf(path: string): string[] {
  return path.split(/[/\\]/).filter(Boolean);
}

/** The text without percent-encoding. A `%` that begins no byte stays as it is. */
function decoded(path: string): string {
  return path.replace(/(?:%[\da-f]{2})+/gi, (bytes) => Buffer.from(bytes.replaceAll('%', ''), 'hex').toString('utf8'));
}
