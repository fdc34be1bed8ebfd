import type { ContractCase } from './proxy-contract.js';
import { assertRejects, assertSame, assertThat } from './refusal.js';

/** Contract tests about aborts. */
export const abortCases: readonly ContractCase[] = [
  {
    title: 'an operation that is aborted before it starts does nothing',
    needs: 'abort',
    async run(fixture) {
      const before = await fixture.ids();
      const record = fixture.build(1);
      await assertRejects(record.save({ signal: AbortSignal.abort() }), 'a create that is aborted', 'abort');
      assertThat(record.phantom, 'its record is still a phantom');
      assertSame((await fixture.ids()).size, before.size, 'the size of the collection');
    },
  },
  {
    title: 'an operation that is aborted on its way rejects with AbortError',
    needs: 'abort',
    async run(fixture) {
      const record = await fixture.create(1);
      const controller = new AbortController();
      const loading = fixture.Row.load(fixture.id(record), { signal: controller.signal });
      controller.abort();
      await assertRejects(loading, 'a read that is aborted', 'abort');
    },
  },
  {
    title: 'an abort ends its own operation only',
    needs: 'abort',
    async run(fixture) {
      const id = fixture.id(await fixture.create(1));
      const controller = new AbortController();
      const aborted = fixture.Row.load(id, { signal: controller.signal });
      const other = fixture.Row.load(id);
      controller.abort();
      await assertRejects(aborted, 'the read that is aborted', 'abort');
      assertSame((await other).get(fixture.options.text), fixture.text(1), 'the read beside it');
      assertSame((await fixture.Row.load(id)).get(fixture.options.text), fixture.text(1), 'the read after it');
    },
  },
];
