import { composeWrite } from './compose.js';
import type { Extension } from './extension.js';
import type { Keeper } from './keeper.js';
import { LAYERS } from './layers.js';
import { resolveExtensions } from './resolve-extensions.js';
import type { WriteStep } from './write.js';

/** The extensions of a proxy, grouped once by the hooks that they have, so that a write need not search all of them. */
export class ExtensionHooks {
  /** The extensions with a `queued` hook. */
  readonly queued: readonly Extension[];
  /** The extensions with a `settled` hook, outermost first. */
  readonly settled: readonly Extension[];
  /**
   * Whether the values of a write must be captured at the core's checks, because a `write` hook runs between the checks and the
   * request. While such a hook waits, the application may edit the record again.
   */
  readonly isCaptured: boolean;
  /** The outbox of the proxy; undefined if it has none. */
  readonly keeper: Keeper | undefined;
  private readonly beforeChecks: readonly Extension[];
  private readonly afterChecks: readonly Extension[];
  /** The results of `wrapStep`, by the wrapped step. */
  private readonly composedSteps: Map<WriteStep, WriteStep> = new Map();

  /** `extensions` must be sorted, outermost first. */
  constructor(private readonly extensions: readonly Extension[]) {
    const withWriteHook = extensions.filter(({ write }) => write);
    this.beforeChecks = withWriteHook.filter(({ layer }) => layer < LAYERS.checks);
    this.afterChecks = withWriteHook.filter(({ layer }) => layer >= LAYERS.checks);
    this.isCaptured = this.afterChecks.length > 0;
    this.queued = extensions.filter(({ queued }) => queued);
    this.settled = extensions.filter(({ settled }) => settled);
    this.keeper = extensions.findLast(({ keeper }) => keeper)?.keeper;
  }

  /**
   * These hooks together with those of `keeper`, the outbox that stores a record's writes. That outbox takes part in every write of the
   * record, even if the write goes through a proxy without the outbox.
   */
  withKeeper(keeper: Keeper | undefined): ExtensionHooks {
    if (!keeper || keeper === this.keeper) return this;
    return new ExtensionHooks(resolveExtensions([...this.extensions, ...keeper.extensions]));
  }

  /** Whether any `write` hook runs before the core's checks. */
  get runsBeforeChecks(): boolean {
    return this.beforeChecks.length > 0;
  }

  /** Wraps a step. From outside in: `write` hooks below `LAYERS.checks`, the core's checks, the other `write` hooks, the step. */
  wrapStep(exchange: WriteStep, checks: (next: WriteStep) => WriteStep): WriteStep {
    let step = this.composedSteps.get(exchange);
    if (!step) {
      step = composeWrite(this.beforeChecks, checks(composeWrite(this.afterChecks, exchange)));
      this.composedSteps.set(exchange, step);
    }
    return step;
  }
}
