import type { DataError } from '../errors/data-error.js';
import { BatchError } from '../errors/write-errors.js';
import type { InnerSession, RecordedSteps } from '../sync/inner-session.js';
import type { Clock } from '../util/clock.js';
import { ValueSource } from '../util/value-source.js';
import type { HistoryState, HistoryStep, SessionHistory, UndoOptions } from './session-history.js';
import { type Op, Step, type Subject } from './step.js';
import { Recorder, type StepTaker } from './step-recorder.js';
import { StepRun } from './step-run.js';
import { Subjects } from './subjects.js';

interface Settings {
  readonly limit: number;
  readonly pause: number;
  readonly clock: Clock;
}

type Direction = 'undo' | 'redo';

/** The history of a session. */
export class RunningHistory implements SessionHistory, RecordedSteps, StepTaker {
  readonly state: ValueSource<HistoryState>;
  private readonly subjects: Subjects = new Subjects();
  private readonly recorder: Recorder;
  private done: Step[] = [];
  private undone: Step[] = [];
  /** The step of the present turn. */
  private turn: Step | undefined = undefined;
  /** The step of `group()`. */
  private grouped: Step | undefined = undefined;
  /** How many functions run whose edits are no steps. */
  private muted = 0;
  /** The run that waits for the server, and those behind it. */
  private waiting: Promise<unknown> | undefined = undefined;
  /** Whether the user has done something since the last step began to run. */
  private isOvertaken = false;
  /** Whether a step is applied that needs no write. */
  private isApplying = false;
  /** How many steps there were until now. */
  private steps = 0;
  private error: DataError | undefined = undefined;
  private isEnded = false;

  constructor(
    private readonly session: InnerSession,
    private readonly settings: Settings,
  ) {
    this.state = new ValueSource<HistoryState>(() => this.present(), undefined, 'always');
    this.recorder = new Recorder(session.records, this.subjects, this);
  }

  ofFork(fork: InnerSession): RunningHistory {
    const steps = new RunningHistory(fork, this.settings);
    fork.steps = steps;
    return steps;
  }

  get canUndo(): boolean {
    return this.done.some(({ state, ops }) => state === 'done' && ops.size > 0);
  }

  get canRedo(): boolean {
    return this.undone.some(({ state }) => state === 'undone');
  }

  undo(options: UndoOptions = {}): Promise<HistoryStep | undefined> {
    this.endTurn();
    // Steps that the user makes while this call waits for an earlier one are not meant to be undone by it.
    const latest = this.steps;
    return this.inOrder(() => this.move('undo', options, latest));
  }

  redo(options: UndoOptions = {}): Promise<HistoryStep | undefined> {
    return this.inOrder(() => this.move('redo', options, Number.POSITIVE_INFINITY));
  }

  group<T>(label: string, work: () => T): T {
    if (this.grouped) return work();
    this.endTurn();
    const step = this.begin(label);
    this.grouped = step;
    const end = () => {
      // It is another step if this one was forgotten meanwhile.
      const last = this.grouped ?? step;
      this.grouped = undefined;
      last.isSealed = true;
      this.finish(last);
    };
    let result: T;
    try {
      result = work();
    } catch (error) {
      end();
      throw error;
    }
    if (!isThenable(result)) {
      end();
      return result;
    }
    // A thenable of another kind, such as a query that is sent by `then()`, is asked once: the caller gets the promise of that.
    const promise = isPromise(result) ? result : Promise.resolve(result);
    promise.then(end, end);
    return promise as T;
  }

  ignore<T>(work: () => T): T {
    this.muted += 1;
    try {
      return work();
    } finally {
      this.muted -= 1;
    }
  }

  forget(step: HistoryStep): void {
    for (const each of [...this.done, ...this.undone])
      if (each.state !== 'running' && each.toView() === step) {
        if (each.state === 'done') each.leaveSaved();
        this.drop(each);
      }
    this.changed();
  }

  clear(): void {
    this.endTurn();
    for (const step of [...this.done, ...this.undone]) {
      if (step.state === 'running') step.isCleared = true;
      else this.drop(step);
    }
    this.subjects.clear();
    this.error = undefined;
    this.changed();
  }

  end(): void {
    if (this.isEnded) return;
    this.isEnded = true;
    this.clear();
    this.recorder.end();
    this.state.end();
  }

  // ── Steps of the user ──

  get isRecording(): boolean {
    return this.muted === 0 && !this.isEnded;
  }

  openStep(): Step {
    const open = this.grouped ?? this.turn;
    if (open) return open;
    const step = this.begin(undefined);
    this.turn = step;
    queueMicrotask(() => {
      if (this.turn === step) this.endTurn();
    });
    return step;
  }

  stepChanged(step: Step): void {
    if (step === this.grouped || step === this.turn) {
      step.at = this.settings.clock.now();
      step.changed();
      this.isOvertaken = true;
      for (const each of this.undone) if (each.state !== 'running') this.drop(each);
      this.error = undefined;
      // The listeners are told at the end of the turn.
      this.state.version += 1;
      return;
    }
    if (step.ops.size === 0 && step.state !== 'running') this.drop(step);
    this.changed();
  }

  sealed(subject: Subject): void {
    const step = subject.ops.at(-1)?.step;
    if (step) step.isSealed = true;
  }

  private begin(label: string | undefined): Step {
    this.steps += 1;
    const step = new Step(label, this.settings.clock.now(), this.steps);
    this.done.push(step);
    return step;
  }

  private endTurn(): void {
    const { turn: step } = this;
    if (!step) return;
    this.turn = undefined;
    const before = this.done.at(-2);
    if (before && this.done.at(-1) === step && this.continues(before, step)) this.join(before, step);
    else this.finish(step);
  }

  /** Whether the edits of a turn go on with those of the step before it, as when a text is typed. */
  private continues(before: Step, step: Step): boolean {
    const { pause } = this.settings;
    if (before.isSealed || before.state !== 'done' || step.at - before.at > pause || pause === 0) return false;
    if (step.ops.size === 0 || step.takesBack || before.label !== undefined) return false;
    return [...step.ops].every(
      (op) =>
        op.kind === 'edit' &&
        op.subject.ops.some((each) => each.kind === 'edit' && each.step === before && each.field === op.field),
    );
  }

  private join(before: Step, step: Step): void {
    for (const op of [...step.ops]) {
      const earlier = op.subject.ops.find(
        (each) => each.kind === 'edit' && op.kind === 'edit' && each.step === before && each.field === op.field,
      );
      if (earlier?.kind === 'edit' && op.kind === 'edit') {
        earlier.after = op.after;
        earlier.rawAfter = op.rawAfter;
      }
    }
    before.at = step.at;
    before.changed();
    this.drop(step);
    this.changed();
  }

  private finish(step: Step): void {
    if (step.ops.size === 0) this.drop(step);
    while (this.done.length > this.settings.limit && this.done[0]?.state === 'done') this.drop(this.done[0]);
    this.changed();
  }

  private drop(step: Step): void {
    this.done = this.done.filter((each) => each !== step);
    this.undone = this.undone.filter((each) => each !== step);
    step.forget();
    if (step === this.turn) this.turn = undefined;
    if (step === this.grouped) this.grouped = this.begin(step.label);
  }

  // ── Undo and redo ──

  /** Runs a step at once, or behind the one that waits for the server. */
  private inOrder(
    run: () => Promise<HistoryStep | undefined> | HistoryStep | undefined,
  ): Promise<HistoryStep | undefined> {
    // A listener may ask for the next step while one is applied.
    const earlier = this.isApplying ? Promise.resolve() : this.waiting;
    const again = () => this.inOrder(run);
    let result: Promise<HistoryStep | undefined>;
    try {
      result = earlier ? earlier.then(again, again) : Promise.resolve(run());
    } catch (error) {
      result = Promise.reject(error);
    }
    // A caller who ignores the promise must not cause an unhandled rejection: the state shows the error.
    result.catch(() => undefined);
    return result;
  }

  private move(
    direction: Direction,
    options: UndoOptions,
    latest: number,
  ): Promise<HistoryStep | undefined> | HistoryStep | undefined {
    this.endTurn();
    const isUndo = direction === 'undo';
    const step = (isUndo ? this.done : this.undone).findLast((each) => each !== this.grouped && each.number <= latest);
    if (!step) return undefined;
    const view = step.toView();
    this.isOvertaken = false;
    step.state = 'running';
    step.isUndoing = isUndo;
    const run = new StepRun(this.session, this.subjects, this.recorder, step, {
      isUndo,
      overwrites: options.overwrite ?? false,
      quietly: (work) => this.ignore(work),
    });
    if (!run.isLocal) return this.runWrites(run, step).then(() => view);
    this.isApplying = true;
    let errors: readonly DataError[];
    try {
      errors = run.applyNow();
    } finally {
      this.isApplying = false;
    }
    this.ended(step, run.failed);
    this.report(errors, run);
    return view;
  }

  /** Runs a step that the server has to take. */
  private async runWrites(run: StepRun, step: Step): Promise<void> {
    const written = run.write();
    const free = Promise.race([run.whenQueued, written]).then(() => {
      if (this.waiting === free) this.waiting = undefined;
      this.ended(step, run.failed);
    });
    this.waiting = free;
    this.changed();
    const errors = await written;
    await free;
    this.report(errors, run);
  }

  private report(errors: readonly DataError[], run: StepRun): void {
    const [first] = errors;
    this.error = first && errors.length > 1 ? new BatchError(errors, run.size) : first;
    this.changed();
    if (this.error) throw this.error;
  }

  /** A run has ended: moves its step, or what of it has succeeded, to the other list. */
  private ended(step: Step, failed: ReadonlySet<Op>): void {
    const { isUndoing } = step;
    const succeeded = [...step.ops].filter((op) => !failed.has(op));
    step.state = isUndoing ? 'done' : 'undone';
    if (step.isCleared) this.drop(step);
    else if (failed.size === 0) this.moved(step, isUndoing);
    else if (succeeded.length > 0) {
      const part = new Step(step.label, step.at, step.number);
      for (const op of succeeded) {
        step.delete(op);
        part.add({ ...op, step: part });
      }
      this.moved(part, isUndoing);
    }
    this.changed();
  }

  private moved(step: Step, isUndo: boolean): void {
    step.isSealed = true;
    const isLatest = !this.isOvertaken;
    this.done = this.done.filter((each) => each !== step);
    this.undone = this.undone.filter((each) => each !== step);
    // Somebody else has erased all of its records.
    if (step.ops.size === 0) return step.forget();
    if (!isUndo) {
      step.state = 'done';
      this.done.push(step);
    } else if (isLatest) {
      step.state = 'undone';
      this.undone.push(step);
    }
    // A step that the user made meanwhile has ended what could be done again.
    else step.forget();
  }

  private present(): HistoryState {
    const views = (steps: readonly Step[]) =>
      Object.freeze(steps.filter(({ ops }) => ops.size > 0).map((step) => step.toView()));
    const { canUndo, canRedo, error } = this;
    return Object.freeze({
      ...{ canUndo, canRedo, error, running: this.waiting !== undefined },
      ...{ done: views(this.done), undone: views(this.undone) },
    });
  }

  private changed(): void {
    this.state.update();
  }
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as Partial<PromiseLike<unknown>> | null | undefined)?.then === 'function';
}

/** Whether a thenable is a promise: that of the platform or of another window, or one that replaces it, as in Angular. */
function isPromise(value: PromiseLike<unknown>): value is Promise<unknown> {
  return Object.prototype.toString.call(value) === '[object Promise]';
}
