import { DefinitionError, NetworkError, type OperationEvent, type TelemetryConfig, telemetry } from 'repose';
import { describe, expect, test, vi } from 'vitest';
import { answer, EventClock, requestOf, scripted, through } from './support.js';

function setUp() {
  const clock = new EventClock(5000);
  const events: OperationEvent[] = [];
  return { clock, events, policy: through(telemetry({ operation: (event) => void events.push(event) }), clock) };
}

describe('telemetry()', () => {
  test('reports how an attempt ended', async () => {
    const { clock, events, policy } = setUp();
    const response = answer(201);
    const result = await policy(
      requestOf({
        method: 'POST',
        action: 'create',
        target: 'https://api.test:8443/users?token=secret',
        queueTime: 40,
      }),
      async (request) => {
        request.operation.attempts += 1;
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

  test('reports no path, query, headers or bodies', async () => {
    const { events, policy } = setUp();
    const url = 'https://ada:pass@api.test/users/ada@example.com?token=secret';
    await policy(requestOf({ target: url, proxyHeaders: { Authorization: 'Bearer secret' } }), scripted(answer(200)));
    expect(JSON.stringify(events)).not.toMatch(/secret|ada|pass|Bearer|users/);
  });

  test('reports the code of the error if there was no response, and passes the error on', async () => {
    const { events, policy } = setUp();
    const error = new NetworkError(new TypeError('fetch failed'));
    await expect(policy(requestOf(), scripted(error))).rejects.toBe(error);
    await expect(policy(requestOf(), scripted(new RangeError('of a function')))).rejects.toThrow(RangeError);
    expect(events.map(({ status, error }) => [status, error])).toEqual([
      [undefined, 'network'],
      [undefined, 'definition'],
    ]);
  });

  test('reports the time in the queue of each attempt separately', async () => {
    const { events, policy } = setUp();
    const request = requestOf({ queueTime: 7 });
    const send = scripted(answer(503), answer(200));
    await policy(request, send);
    await policy(request, send);
    expect(events.map(({ attempt, queueTime }) => [attempt, queueTime])).toEqual([
      [1, 7],
      [2, 0],
    ]);
  });

  test('reports an error of the observer as uncaught, without failing the call', async () => {
    const errors: unknown[] = [];
    const microtask = vi.spyOn(globalThis, 'queueMicrotask').mockImplementation((task) => {
      try {
        task();
      } catch (error) {
        errors.push(error);
      }
    });
    const mistake = new Error('mistake');
    const failing = telemetry({
      operation() {
        throw mistake;
      },
    });
    const policy = through(failing, new EventClock());
    expect((await policy(requestOf(), scripted(answer(200)))).status).toBe(200);
    microtask.mockRestore();
    expect(errors).toEqual([mistake]);
  });

  test("calls an observer's method with its `this`", async () => {
    class Recorder implements TelemetryConfig {
      readonly seen: number[] = [];
      operation({ attempt }: OperationEvent): void {
        this.seen.push(attempt);
      }
    }
    const recorder = new Recorder();
    await through(telemetry(recorder), new EventClock())(requestOf(), scripted(answer(200)));
    expect(recorder.seen).toEqual([1]);
  });

  test('refuses an observer without the function with a DefinitionError', () => {
    expect(() => telemetry({ operation: 'log' } as never)).toThrow(DefinitionError);
    expect(() => telemetry({ operation: 'log' } as never)).toThrow("telemetry.operation must be a function, not 'log'");
    expect(() => telemetry({ operations: () => undefined } as never)).toThrow(
      "'operations' is not an option of telemetry: did you mean 'operation'?",
    );
    for (const mute of [undefined, {}, () => undefined, true, 5, [], 'log']) {
      expect(() => telemetry(mute as never)).toThrow('telemetry.operation must be a function, not undefined');
    }
  });
});
