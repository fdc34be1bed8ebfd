import { DefinitionError, formBodies, isDataError, Model, plain } from 'repose';

const seen: { loaded: number; total: number; title: unknown }[] = [];
let failing = false;

class Photo extends Model.define({
  fields: { id: 'int', title: 'string', image: 'auto' },
  proxy: {
    url: '/photos',
    dialect: plain(),
    headers: { 'X-Key': 'k' },
    writer: { type: 'multipart' },
    use: [
      formBodies({
        progress({ operation, loaded, total }) {
          const [photo] = operation.records as unknown as readonly Photo[];
          seen.push({ loaded, total, title: photo?.title });
          if (failing) throw new DefinitionError('a mistake of the page');
        },
      }),
    ],
  },
}) {}

const saving = new Map<string, AbortController>();

/** Functions that the page offers to the test. */
const tools = {
  seen,
  fail() {
    failing = true;
  },
  /** Saves a photo of so many bytes, and resolves with what became of it. */
  async upload(title: string, bytes: number) {
    const photo = new Photo({ title, image: new File([new Uint8Array(bytes)], 'sea.bin') });
    const controller = new AbortController();
    saving.set(title, controller);
    try {
      await photo.save({ signal: controller.signal });
      return `saved ${photo.id} ${String(photo.image)}`;
    } catch (error) {
      return isDataError(error) ? `${error.code}: ${error.message}` : String(error);
    }
  },
  abort: (title: string) => saving.get(title)?.abort(),
};
Object.assign(globalThis, { tools });
export type Tools = typeof tools;
