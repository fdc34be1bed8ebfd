import { composeWrite } from './compose.js';
import type { Extension } from './extension.js';
import type { Keeper } from './keeper.js';
import { LAYERS } from './layers.js';
import { resolveExtensions } from './resolve-extensions.js';
import type { WriteStep } from './write.js';

/** The hooks of a proxy's extensions, sorted by kind once so that a write need not search for them. */
export class ExtensionHooks {
  /** The extensions with a `queued` hook. */
  readonly queued: readonly Extension[];
  /** The extensions with a `settled` hook, outermost first. */
  readonly settled: readonly Extension[];
  /**
   * Whether a `write` hook runs between the core's checks and the request. Such a hook may wait, so the values of a write are captured
   * at the checks.
   */
  readonly isCaptured: boolean;
  /** The proxy's outbox; undefined: it has none. */
  readonly keeper: Keeper | undefined;
  private readonly beforeChecks: readonly Extension[];
  private readonly afterChecks: readonly Extension[];
  private readonly composedSteps: Map<WriteStep, WriteStep> = new Map();

  /** Expects the extensions sorted, outermost first. */
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
   * These hooks and those of a record's outbox. An outbox takes part in every write of its records, also through a proxy that does not
   * use the outbox.
   */
  withKeeper(keeper: Keeper | undefined): ExtensionHooks {
    if (!keeper || keeper === this.keeper) return this;
    return new ExtensionHooks(resolveExtensions([...this.extensions, ...keeper.extensions]));
  }

  /** Wraps a step in all `write` hooks, with the core's checks between the hooks below `LAYERS.checks` and the other hooks. */
  wrapStep(exchange: WriteStep, checks: (next: WriteStep) => WriteStep): WriteStep {
    let step = this.composedSteps.get(exchange);
    if (!step) {
      step = composeWrite(this.beforeChecks, checks(composeWrite(this.afterChecks, exchange)));
      this.composedSteps.set(exchange, step);
    }
    return step;
  }
}
