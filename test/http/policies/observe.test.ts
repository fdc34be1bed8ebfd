import { DefinitionError, NetworkError } from 'repose';
import { describe, expect, test, vi } from 'vitest';
import { type Observer, type OperationEvent, observing } from '../../../src/http/policies/observe.js';
import { answer, callOf, EventClock, scripted } from './support.js';

function setUp() {
  const clock = new EventClock(5000);
  const events: OperationEvent[] = [];
  return { clock, events, policy: observing({ operation: (event) => void events.push(event) }, clock) };
}

describe('observing', () => {
  test('tells how an attempt ended', async () => {
    const { clock, events, policy } = setUp();
    const response = answer(201);
    const result = await policy(
      callOf({ method: 'POST', action: 'create', url: 'https://api.test:8443/users?token=secret', queued: 40 }),
      async (call) => {
        call.attempt += 1;
        clock.set(5012);
        return response;
      },
    );
    expect(result).toBe(response);
    expect(events).toEqual([
      {
        ...{ model: 'user', action: 'create', method: 'POST', host: 'api.test:8443', attempt: 1 },
        ...{ status: 201, error: undefined, startTime: 5000, duration: 12, queueTime: 40 },
      },
    ]);
    expect(Object.isFrozen(events[0])).toBe(true);
  });

  test('holds neither path nor query, nor headers, nor bodies', async () => {
    const { events, policy } = setUp();
    const url = 'https://ada:pass@api.test/users/ada@example.com?token=secret';
    await policy(callOf({ url, headers: { Authorization: 'Bearer secret' } }), scripted(answer(200)));
    expect(JSON.stringify(events)).not.toMatch(/secret|ada|pass|Bearer|users/);
  });

  test('names the error where no answer came, and passes it on', async () => {
    const { events, policy } = setUp();
    const error = new NetworkError(new TypeError('fetch failed'));
    await expect(policy(callOf(), scripted(error))).rejects.toBe(error);
    await expect(policy(callOf(), scripted(new RangeError('of a function')))).rejects.toThrow(RangeError);
    expect(events.map(({ status, error }) => [status, error])).toEqual([
      [undefined, 'network'],
      [undefined, 'definition'],
    ]);
  });

  test('each attempt has its own time in the queue', async () => {
    const { events, policy } = setUp();
    const call = callOf({ queued: 7 });
    const send = scripted(answer(503), answer(200));
    await policy(call, send);
    await policy(call, send);
    expect(events.map(({ attempt, queueTime }) => [attempt, queueTime])).toEqual([
      [1, 7],
      [2, 0],
    ]);
  });

  test('an observer that throws disturbs no call; its error surfaces', async () => {
    const errors: unknown[] = [];
    const microtask = vi.spyOn(globalThis, 'queueMicrotask').mockImplementation((task) => {
      try {
        task();
      } catch (error) {
        errors.push(error);
      }
    });
    const mistake = new Error('mistake');
    const policy = observing(
      {
        operation() {
          throw mistake;
        },
      },
      new EventClock(),
    );
    expect((await policy(callOf(), scripted(answer(200)))).status).toBe(200);
    microtask.mockRestore();
    expect(errors).toEqual([mistake]);
  });

  test('an observer keeps its this', async () => {
    class Recorder implements Observer {
      readonly seen: number[] = [];
      operation({ attempt }: OperationEvent): void {
        this.seen.push(attempt);
      }
    }
    const recorder = new Recorder();
    await observing(recorder, new EventClock())(callOf(), scripted(answer(200)));
    expect(recorder.seen).toEqual([1]);
  });

  test('an observer that cannot hear is a DefinitionError', () => {
    const clock = new EventClock();
    expect(() => observing({ operation: 'log' } as never, clock)).toThrow(DefinitionError);
    expect(() => observing({ operation: 'log' } as never, clock)).toThrow(
      "observe.operation must be a function, not 'log'",
    );
    expect(() => observing({}, clock)).not.toThrow();
    for (const mute of [() => undefined, { operations: () => undefined }, true, 5, [], 'log']) {
      expect(() => observing(mute as never, clock)).toThrow('observe.operation must be a function, not undefined');
    }
  });
});
