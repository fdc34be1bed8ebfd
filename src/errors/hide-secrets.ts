/** Matches the value of a parameter whose name says that it is secret, in an address. */
const SECRET_VALUE =
  /([?&;][^=&#\s'"]*(?:auth|code|credential|jwt|key|passw|pwd|secret|session|sid|sig|token)[^=&#\s'"]*=)[^&#\s'"]+/gi;

/** A text without the credentials of the addresses in it: names and passwords, and the values of parameters such as `access_token`. */
export function hideSecrets(text: string): string {
  return text.replace(/\/\/[^/\s'"]*@/g, '//…@').replace(SECRET_VALUE, '$1…');
}
