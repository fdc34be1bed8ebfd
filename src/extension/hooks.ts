import { arrange } from './arrange.js';
import { composeWrite } from './compose.js';
import type { Extension } from './extension.js';
import type { Keeper } from './keeper.js';
import { LAYERS } from './layers.js';
import type { WriteStep } from './write.js';

/** The hooks of the extensions of one proxy, found once. */
export class ExtensionHooks {
  /** Those that hear of writes which wait. */
  readonly queued: readonly Extension[];
  /** Those that hear how writes ended, outermost first. */
  readonly settled: readonly Extension[];
  /** Whether anything stands between the core's checks and the request, so that a write is captured when it is checked. */
  readonly isCaptured: boolean;
  /** The outbox, where there is one. */
  readonly keeper: Keeper | undefined;
  private readonly outside: readonly Extension[];
  private readonly inside: readonly Extension[];
  private readonly composed: Map<WriteStep, WriteStep> = new Map();

  /** The extensions are given outermost first. */
  constructor(private readonly extensions: readonly Extension[]) {
    const writing = extensions.filter(({ write }) => write);
    this.outside = writing.filter(({ layer }) => layer < LAYERS.checks);
    this.inside = writing.filter(({ layer }) => layer >= LAYERS.checks);
    this.isCaptured = this.inside.length > 0;
    this.queued = extensions.filter(({ queued }) => queued);
    this.settled = extensions.filter(({ settled }) => settled);
    this.keeper = extensions.findLast(({ keeper }) => keeper)?.keeper;
  }

  /** The hooks with those of an outbox that keeps the record, whose proxy may know of none. */
  keptBy(keeper: Keeper | undefined): ExtensionHooks {
    if (!keeper || keeper === this.keeper) return this;
    return new ExtensionHooks(arrange([...this.extensions, ...keeper.extensions]));
  }

  /** A step with all `write` hooks around it: `checks` stands between those outside of the checks and those inside. */
  around(exchange: WriteStep, checks: (next: WriteStep) => WriteStep): WriteStep {
    let step = this.composed.get(exchange);
    if (!step) {
      step = composeWrite(this.outside, checks(composeWrite(this.inside, exchange)));
      this.composed.set(exchange, step);
    }
    return step;
  }
}
