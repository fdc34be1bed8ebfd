import {
  formBodies,
  idempotency,
  Model,
  plain,
  type RestProxyConfig,
  retry,
  TimeoutError,
  type UploadProgress,
} from 'repose';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { EventClock, settled } from './support.js';

afterEach(() => vi.unstubAllGlobals());

/** A model that uploads by the given `fetch`, or without one by `XMLHttpRequest`, with a limit of one second. */
function setUp(config: RestProxyConfig, progress?: (told: UploadProgress) => void) {
  const clock = new EventClock();
  class Photo extends Model.define({
    name: 'photo',
    fields: { id: 'int', title: 'string', image: 'auto' },
    proxy: {
      type: 'rest',
      url: 'https://files.example/photos',
      dialect: plain(),
      timeout: 1000,
      clock,
      writer: { type: 'multipart' },
      use: [formBodies({ ...(progress && { progress }) })],
      ...config,
    },
  }) {}
  const upload = (bytes: number) => {
    const ended: { value?: unknown } = {};
    const photo = new Photo({ title: 'Sea', image: new File([new Uint8Array(bytes)], 'sea.bin') });
    const saving = photo.save().then(
      () => Object.assign(ended, { value: 'saved' }),
      (error: unknown) => Object.assign(ended, { value: error }),
    );
    return { photo, ended, saving };
  };
  return { clock, Photo, upload };
}

/** A `fetch` that gets no response. */
const silent: typeof fetch = (_, init) =>
  new Promise((_resolve, reject) => {
    init?.signal?.addEventListener('abort', () => reject(new DOMException('aborted', 'AbortError')));
  });

describe('an upload by `fetch`, which tells no progress', () => {
  test.each([
    [1, 2000],
    [1_000_000, 2000],
    [5_000_000, 6000],
  ])('of %d bytes ends after %d ms', async (bytes, limit) => {
    const { clock, upload } = setUp({ fetch: silent });
    const { ended } = upload(bytes);
    await clock.advance(limit - 1);
    expect(ended.value).toBeUndefined();
    await clock.advance(1);
    expect(ended.value).toBeInstanceOf(TimeoutError);
    expect(String(ended.value)).toContain(`${limit} ms`);
  });

  test('has the same limit at each attempt', async () => {
    let attempts = 0;
    const counted: typeof fetch = (...given) => {
      attempts += 1;
      return silent(...given);
    };
    const backoff = { base: 1, max: 1 };
    const use = [formBodies(), ...retry({ limit: 2, backoff, random: () => 0 }), idempotency()];
    const { clock, upload } = setUp({ fetch: counted, use });
    upload(5_000_000);
    const seen: number[] = [];
    for (let time = 0; time < 3; time += 1) {
      await clock.advance(6000);
      seen.push(attempts);
    }
    expect(seen).toEqual([2, 3, 3]);
  });

  test('leaves the limit of a body without files as it is, and no limit is none', async () => {
    const { clock, Photo } = setUp({ fetch: silent });
    let error: unknown;
    new Photo({ title: 'Sea' }).save().catch((reason: unknown) => {
      error = reason;
    });
    await clock.advance(1000);
    expect(error).toBeInstanceOf(TimeoutError);
    const free = setUp({ fetch: silent, timeout: 0 });
    free.upload(1);
    await settled();
    expect(free.clock.alarmed).toBe(0);
  });
});

describe('an upload with `progress`', () => {
  /** Stands in for the browser's: a test moves the bytes. */
  class Xhr {
    static last: Xhr;
    readonly upload: { onprogress?: (event: { loaded: number; total: number }) => void } = {};
    status = 201;
    statusText = 'Created';
    response = new Blob(['{"id":1}']);
    responseURL = '';
    onload = () => undefined;
    onloadend = () => undefined;
    onabort = () => undefined;
    onprogress = () => undefined;
    aborted = false;
    open = () => undefined;
    setRequestHeader = () => undefined;
    getAllResponseHeaders = () => 'content-type: application/json\r\n';
    send() {
      Xhr.last = this;
    }
    abort() {
      this.aborted = true;
      this.onabort();
      this.onloadend();
    }
    move(loaded: number) {
      this.upload.onprogress?.({ loaded, total: 3 });
    }
    end() {
      this.onload();
      this.onloadend();
    }
  }

  test('ends only where no bytes move for as long as the limit', async () => {
    vi.stubGlobal('XMLHttpRequest', Xhr);
    const told: number[] = [];
    const { clock, upload } = setUp({}, ({ loaded }) => told.push(loaded));
    const { photo, ended, saving } = upload(3);
    for (const loaded of [1, 2, 3]) {
      await clock.advance(999);
      Xhr.last.move(loaded);
    }
    await clock.advance(999);
    Xhr.last.onprogress();
    await clock.advance(999);
    Xhr.last.end();
    await saving;
    expect([ended.value, told, photo.id, clock.alarmed]).toEqual(['saved', [1, 2, 3], 1, 0]);
  });

  test('that stands still ends with a `TimeoutError`, and is unconfirmed', async () => {
    vi.stubGlobal('XMLHttpRequest', Xhr);
    const { clock, upload } = setUp({}, () => undefined);
    const { photo, ended } = upload(3);
    await clock.advance(500);
    Xhr.last.move(1);
    await clock.advance(999);
    expect(ended.value).toBeUndefined();
    await clock.advance(1);
    expect(ended.value).toBeInstanceOf(TimeoutError);
    expect([Xhr.last.aborted, photo.$.unconfirmed, clock.alarmed]).toEqual([true, true, 0]);
  });
});
