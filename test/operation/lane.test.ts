import { describe, expect, test } from 'vitest';
import { Lane } from '../../src/model/record-core.js';
import { deferred } from '../helpers/rest-server.js';

describe('a lane', () => {
  test('starts a task in the same tick if it is free', () => {
    const lane = new Lane();
    let started = false;
    void lane.run(async () => {
      started = true;
    });
    expect([started, lane.busy]).toEqual([true, true]);
  });

  test('runs tasks one at a time, in the order of the calls', async () => {
    const lane = new Lane();
    const log: string[] = [];
    const gates = [deferred<void>(), deferred<void>(), deferred<void>()];
    const runs = gates.map(({ promise }, i) =>
      lane.run(async () => {
        log.push(`start ${i}`);
        await promise;
        log.push(`end ${i}`);
        return i;
      }),
    );
    gates[2]?.resolve();
    gates[1]?.resolve();
    expect(log).toEqual(['start 0']);
    gates[0]?.resolve();
    expect(await Promise.all(runs)).toEqual([0, 1, 2]);
    expect(log).toEqual(['start 0', 'end 0', 'start 1', 'end 1', 'start 2', 'end 2']);
  });

  test('runs the next task after one has failed, and rejects only the failed call', async () => {
    const lane = new Lane();
    const first = lane.run(async () => {
      throw new Error('no');
    });
    const second = lane.run(async () => 'done');
    await expect(first).rejects.toThrow('no');
    expect(await second).toBe('done');
  });

  test('rejects and runs the next task when a task throws before it returns a promise', async () => {
    const lane = new Lane();
    await expect(
      lane.run(() => {
        throw new Error('at once');
      }),
    ).rejects.toThrow('at once');
    expect(lane.busy).toBe(false);
  });

  test('is free when the last task has ended', async () => {
    const lane = new Lane();
    const gate = deferred<void>();
    const first = lane.run(() => gate.promise);
    const second = lane.run(async () => undefined);
    expect(lane.busy).toBe(true);
    gate.resolve();
    await first;
    expect(lane.busy).toBe(true);
    await second;
    expect(lane.busy).toBe(false);
    let started = false;
    void lane.run(async () => {
      started = true;
    });
    expect(started).toBe(true);
  });
});
