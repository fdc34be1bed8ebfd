import { describe, expect, test } from 'vitest';
import { idleTime } from '../../src/testing/idle-time.js';

describe('idleTime', () => {
  test('runs timers in the order of their time and sets the clock to it', async () => {
    const time = idleTime();
    const heard: number[] = [];
    const hear = () => heard.push(time.now());
    time.after(500_000, hear);
    time.after(20, () => {
      hear();
      time.after(30, hear);
    });
    await new Promise<void>((resolve) => time.after(600_000, resolve));
    expect(heard).toEqual([20, 50, 500_000]);
  });

  test('does not run a stopped timer or wait for it', async () => {
    const time = idleTime();
    const stop = time.after(1, () => expect.unreachable('it was stopped'));
    stop();
    await new Promise(setImmediate);
    await new Promise<void>((resolve) => time.after(2, resolve));
    expect(time.now()).toBe(2);
  });
});
