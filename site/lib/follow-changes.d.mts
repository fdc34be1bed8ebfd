export function followChanges(make: {
  readonly pages: () => unknown;
  readonly comments: () => unknown;
  readonly results: () => unknown;
}): () => void;
