/** The text in place of a secret. */
export const MASK = '***';

/** Tokens that are known by their form, whatever the name beside them. */
const TOKENS = [
  // Keys of well-known services.
  /\b(?:gh[opsur]_|github_pat_|glpat-|sk-|[rs]k_(?:live|test)_|xox[a-z]-|npm_|hf_|whsec_|AKIA|ASIA|AIza|ya29\.|SG\.|shpat_|dop_v1_|pypi-)[\w.-]{12,}/g,
  /-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----[^-]*(?:-----END [A-Z ]{0,30}PRIVATE KEY-----)?/g,
];

/** The beginning of any token that is known by its form. */
const BEGINNING =
  /\b(?:gh[opsur]_|github_pat_|glpat-|sk-|[rs]k_|xox|npm_|hf_|whsec_|AKIA|ASIA|AIza|ya29|SG\.|shpat_|dop_v1_|pypi-)|-----BEGIN|eyJ|bearer|basic/i;

/** Whether a text may have a secret in it: a cheap test, because most values of records have none. */
export function isSuspicious(text: string): boolean {
  if (!/[=:@#<?%\\]/.test(text)) return BEGINNING.test(text);
  // Times and numbers.
  return !/^[-+\d.:TZ ]+$/.test(text);
}

/** A text without the tokens that are known by their form. */
export function withoutTokens(text: string): string {
  // Most texts have none.
  if (!BEGINNING.test(text)) return text;
  let masked = text;
  for (const token of TOKENS) masked = masked.replace(token, MASK);
  return masked
    .replace(/[\w.-]{12,}/g, withoutWebToken)
    .replace(/\b(bearer\s{1,9})([\w.~+/=-]{6,})/gi, `$1${MASK}`)
    .replace(/\b(basic\s{1,9})([A-Za-z0-9+/_-]{4,}={0,2})/gi, (whole, scheme: string, value: string) =>
      isBasic(value) ? `${scheme}${MASK}` : whole,
    );
}

/** A run of characters without the JSON Web Token in it. */
function withoutWebToken(run: string): string {
  const at = run.search(/\beyJ/);
  return at >= 0 && run.includes('.', at) ? `${run.slice(0, at)}${MASK}` : run;
}

/** Whether a text is a name and a password in the form of basic authentication; `Basic plan` is not. */
function isBasic(text: string): boolean {
  try {
    return atob(text.replaceAll('-', '+').replaceAll('_', '/')).includes(':');
  } catch {
    return false;
  }
}

/** Shorter texts are no random tokens. */
const SHORTEST_RANDOM = 16;

/** The value of a parameter without those parts of it that look random, as tokens do. */
export function withoutRandom(text: string): string {
  if (text.length < SHORTEST_RANDOM) return text;
  return text.replace(/[\w\-+/=.~]{16,}/g, (part) => (looksRandom(part) ? MASK : part));
}

function looksRandom(text: string): boolean {
  if (/^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text)) return false;
  const kinds = text
    .replace(/[^A-Za-z0-9]/g, '')
    .replace(/[a-z]/g, 'a')
    .replace(/[A-Z]/g, 'A')
    .replace(/[0-9]/g, '0');
  const digits = kinds.replace(/[^0]/g, '').length;
  // Words change seldom between lower case, upper case and digits.
  const changes = [...kinds].filter((kind, at) => at > 0 && kind !== kinds[at - 1]).length;
  return digits >= 2 && digits < kinds.length - 1 && changes >= kinds.length / 4;
}
