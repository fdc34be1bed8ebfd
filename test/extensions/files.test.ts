import {
  auth,
  copyOf,
  DefinitionError,
  type Extension,
  explain,
  formBodies,
  isDataError,
  type JsonWriterConfig,
  MemoryProxy,
  Model,
  off,
  plain,
  printExplanation,
  RestProxy,
  type RestProxyConfig,
  retry,
  Store,
  ValidationError,
} from 'repose';
import { LAYERS } from 'repose/extend';
import { memoryStorage } from 'repose/outbox';
import { describe, expect, test } from 'vitest';
import { useRestServer } from '../helpers/use-rest-server.js';
import { openOutbox } from '../outbox/open-outbox.js';

const server = useRestServer();

const fields = { id: 'int', title: 'string', age: 'int', image: 'auto', more: 'json' } as const;
const modelWith = (writer: JsonWriterConfig = {}, config: RestProxyConfig = {}) =>
  class Photo extends Model.define({
    name: 'photo',
    fields,
    proxy: server.proxy('/photos', {
      dialect: plain(),
      writer: { type: 'multipart', ...writer },
      use: [formBodies()],
      ...config,
    }),
  }) {};
const sea = () => new File(['sea ☀'], 'sea.txt', { type: 'text/plain' });
const failure = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );
/** The parts of the form that arrived; of a file its name, type and text. */
const parts = async () =>
  await Promise.all(
    [...(server.last.form as FormData)].map(async ([name, value]) =>
      typeof value === 'string' ? [name, value] : [name, value.name, value.type, await value.text()],
    ),
  );

describe("`writer: { type: 'multipart' }`", () => {
  test('sends a body with a file as a form, with the boundary of the platform', async () => {
    const Photo = modelWith({}, { headers: { 'Content-Type': 'application/json', 'X-Key': 'k' } });
    server.reply({ status: 201, json: { id: 1, title: 'Sea', image: '/files/1.txt' } });
    const photo = new Photo({ title: 'Sea', age: 3, image: sea() });
    await photo.save({ headers: { 'content-type': 'text/plain' } });
    expect(server.last.headers).toMatchObject({
      'content-type': expect.stringMatching(/^multipart\/form-data; boundary=/),
      'x-key': 'k',
    });
    expect(await parts()).toEqual([
      ['title', 'Sea'],
      ['age', '3'],
      ['image', 'sea.txt', 'text/plain', 'sea ☀'],
    ]);
    expect([photo.image, photo.dirty]).toEqual(['/files/1.txt', false]);
  });

  test('sends other bodies as JSON', async () => {
    server.reply({ status: 201, json: { id: 1 } });
    await new (modelWith())({ title: 'Sea', more: [{ a: null }] }).save();
    expect([server.last.headers['content-type'], server.last.body]).toEqual([
      'application/json',
      { title: 'Sea', more: [{ a: null }] },
    ]);
  });

  test('sends a file by PATCH only if it was edited', async () => {
    const photo = modelWith().fromRow({ id: 7, title: 'a', image: '/files/7.jpg' });
    server.reply({ status: 204 }, { status: 204 });
    photo.title = 'b';
    await photo.save();
    expect(server.last.body).toEqual({ title: 'b' });
    photo.image = sea();
    await photo.save();
    expect(await parts()).toEqual([['image', 'sea.txt', 'text/plain', 'sea ☀']]);
    photo.title = 'c';
    server.reply({ status: 204 });
    await photo.save();
    expect(server.last.body).toEqual({ title: 'c' });
  });

  test('sends several files, blobs, and files inside of nested values', async () => {
    server.reply({ status: 201, json: { id: 1 } });
    const more = { files: [sea(), new Blob(['b'])], deep: [{ file: sea() }] };
    await new (modelWith({ names: 'brackets', rootProperty: 'photo' }))({ title: 'x', more }).save();
    expect(await parts()).toEqual([
      ['photo[title]', 'x'],
      ['photo[more][files][]', 'sea.txt', 'text/plain', 'sea ☀'],
      ['photo[more][files][]', 'blob', expect.stringMatching(/^$|octet-stream/), 'b'],
      ['photo[more][deep][0][file]', 'sea.txt', 'text/plain', 'sea ☀'],
    ]);
  });

  test('refuses a nested value beside a file, if nothing names its parts', async () => {
    const error = await failure(new (modelWith())({ image: sea(), more: [1] }).save());
    expect(error).toMatchObject({ code: 'validation', issues: [{ path: ['more'], code: 'form-nested' }] });
    expect(server.requests).toEqual([]);
  });

  test('sends the same form again after a lost response and a renewed sign-in', async () => {
    const use = [formBodies(), retry({ random: () => 0 }), auth({ renew: () => Promise.resolve() })];
    const photo = modelWith({}, { use }).fromRow({ id: 7, title: 'a' });
    photo.image = sea();
    server.reply({ drop: true }, { status: 401 }, { status: 204 });
    await photo.save();
    expect(server.lines).toEqual(['PATCH /photos/7', 'PATCH /photos/7', 'PATCH /photos/7']);
    expect(await parts()).toEqual([['image', 'sea.txt', 'text/plain', 'sea ☀']]);
  });

  test('refuses several records in one request', async () => {
    const Photo = modelWith({}, { batchActions: true });
    const store = new Store({ model: Photo, data: [{ id: 1 }, { id: 2 }] });
    for (const photo of store) photo.image = sea();
    const { failures } = await store.sync();
    expect(failures.map(({ error }) => error.constructor)).toEqual([DefinitionError, DefinitionError]);
    expect(server.requests).toEqual([]);
  });

  test('is given to extensions as the form itself', async () => {
    const bodies: unknown[] = [];
    const spy: Extension = {
      name: 'spy',
      layer: LAYERS.telemetry,
      send(request, next) {
        bodies.push(request.encoded?.body);
        return next(request);
      },
    };
    server.reply({ status: 201, json: { id: 1 } });
    await new (modelWith({}, { use: [formBodies(), spy] }))({ image: sea() }).save();
    expect(bodies).toEqual([expect.any(FormData)]);
  });

  test('is explained by the name and size of the file', async () => {
    const proxy = new RestProxy({
      url: '/photos',
      baseUrl: 'https://h.test',
      writer: { type: 'multipart' },
      use: [formBodies()],
    });
    const photo = new (modelWith())({ title: 'x', image: sea() });
    const explanation = await explain(proxy, { action: 'create', records: [photo] as never });
    expect(explanation.body?.text).toBe('title=x&image=(sea.txt, 7 bytes)');
    expect(printExplanation(explanation)).not.toContain('Content-Type');
  });

  test('sends files of other calls', async () => {
    const { proxy } = modelWith() as unknown as { proxy: RestProxy };
    server.reply({ json: {} });
    await proxy.send({ method: 'POST', path: 'import', body: { file: sea() } });
    expect(await parts()).toEqual([['file', 'sea.txt', 'text/plain', 'sea ☀']]);
  });
});

test("`type: 'form'` sends a body with a file as a form with parts", async () => {
  const Photo = modelWith({ type: 'form' });
  server.reply({ status: 201, json: { id: 1 } }, { status: 201, json: { id: 2 } });
  await new Photo({ title: 'a' }).save();
  expect(server.last.text).toBe('title=a');
  await new Photo({ title: 'a', image: sea() }).save();
  expect(await parts()).toEqual([
    ['title', 'a'],
    ['image', 'sea.txt', 'text/plain', 'sea ☀'],
  ]);
});

describe('a file in a field', () => {
  test('is held as it is, and compared by identity', async () => {
    const Photo = modelWith();
    const [file, other] = [sea(), sea()];
    const photo = Photo.fromRow({ id: 7, title: 'a' });
    photo.image = file;
    expect([photo.image === file, photo.dirty]).toEqual([true, true]);
    server.reply({ status: 204 });
    await photo.save();
    expect([photo.image === file, photo.dirty]).toEqual([true, false]);
    photo.image = file;
    expect(photo.dirty).toBe(false);
    photo.image = other;
    expect(photo.dirty).toBe(true);
    photo.reject();
    expect(photo.image).toBe(file);
    expect(copyOf(photo).image).toBe(file);
  });

  test.each<[string, object, readonly PropertyKey[]]>([
    ['the value of a field', { image: sea() }, ['image']],
    ['an item of a list', { more: [1, sea()] }, ['more', 1]],
    ['a blob in an object', { more: { a: new Blob(['x']) } }, ['more', 'a']],
  ])('is refused in JSON with its remedy: %s', async (_, values, path) => {
    const Photo = modelWith({ type: 'json', rootProperty: 'photo' }, { use: [] });
    const error = await failure(new Photo(values).save());
    expect(error).toBeInstanceOf(ValidationError);
    expect((error as ValidationError).issues).toEqual([
      { path, code: 'json-file', message: expect.stringContaining("`writer: { type: 'multipart' }`") },
    ]);
    expect(server.requests).toEqual([]);
  });

  test('is refused by a memory proxy', async () => {
    class Local extends Model.define({ fields, proxy: new MemoryProxy() }) {}
    expect(await failure(new Local({ image: sea() }).save())).toMatchObject({ issues: [{ code: 'json-file' }] });
  });

  test('is refused by an outbox before anything is queued or sent', async () => {
    const box = await openOutbox({ scope: 'u', storage: memoryStorage(), locks: false } as never);
    const Photo = modelWith({}, { use: [formBodies(), box] });
    const photo = new Photo({ title: 'a', image: sea() });
    const error = await failure(photo.save());
    expect(error).toMatchObject({ code: 'validation', issues: [{ path: ['image'], code: 'outbox-file' }] });
    expect([isDataError(error) && error.queued, box.entries.length, server.requests]).toEqual([undefined, 0, []]);
    expect([photo.phantom, photo.$.unconfirmed]).toEqual([true, false]);
    class Unqueued extends Photo.with({ proxy: { use: [off('outbox')] } }) {}
    server.reply({ status: 201, json: { id: 1 } });
    await new Unqueued({ image: sea() }).save();
    expect(await parts()).toEqual([['image', 'sea.txt', 'text/plain', 'sea ☀']]);
    await box.close();
  });

  test('is refused as a list of the browser, with its remedy', () => {
    const list = Object.assign(Object.create({ [Symbol.toStringTag]: 'FileList' }) as object, { 0: sea() });
    expect(() => new (modelWith())({ image: list })).toThrow(/set a file \(`files\[0\]`\) or an array of files/);
  });
});
