/** Builds dist/ if needed. Throws an error with the output of the builder if the build fails. */
export default function ensureBuilt(): void;
