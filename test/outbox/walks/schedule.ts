import type { Gate, Picks } from './gates.js';
import type { WalkAction, WalkTab } from './walk-tab.js';
import { World, type WorldOptions } from './world.js';

/** A small use of tabs whose schedules are explored. */
export interface Scenario extends Pick<WorldOptions, 'withKeys' | 'withTags' | 'marks'> {
  readonly name: string;
  /** The actions of the user in each tab, in their order. */
  readonly tabs: readonly (readonly WalkAction[])[];
  /** How many requests or answers may be lost. */
  readonly losses: number;
  readonly refusals: number;
  readonly kills: number;
  /** Whether it is among the few that are explored with all tests. */
  readonly isShort?: boolean;
}

/** The result of an exploration. */
export interface Exploration {
  readonly schedules: number;
  readonly steps: number;
  readonly findings: readonly { readonly choices: readonly number[]; readonly broken: readonly string[] }[];
}

/** A choice that a schedule has made. The first option is the usual one; each other one is a deviation. */
interface Choice {
  readonly chosen: number;
  readonly options: number;
}

/** Makes choices: first those of a list, then the usual ones. It counts the deviations, and offers no more than are allowed. */
class Choices implements Picks {
  readonly made: Choice[] = [];
  private deviations = 0;

  constructor(
    private readonly given: readonly number[],
    private readonly allowed: number,
  ) {}

  choose(count: number): number {
    const options = this.deviations < this.allowed ? count : 1;
    const chosen = this.given[this.made.length] ?? 0;
    if (chosen > 0) this.deviations += 1;
    this.made.push({ chosen, options });
    return chosen;
  }

  /** The faults of the server: the last number means none. */
  integer(min: number, max: number): number {
    return min === 0 && max === 9 ? ([max, 0, 1, 2][this.choose(4)] as number) : min;
  }

  pick<T>(list: readonly T[]): T {
    return list[0] as T;
  }

  /** The choices of the next schedule in depth-first order; undefined: this was the last one. */
  next(): readonly number[] | undefined {
    const { made } = this;
    const at = made.findLastIndex(({ chosen, options }) => chosen + 1 < options);
    if (at < 0) return undefined;
    return [...made.slice(0, at).map(({ chosen }) => chosen), (made[at]?.chosen ?? 0) + 1];
  }
}

/** One schedule of a scenario: the order in which its steps happen, given by a list of choices. */
class Schedule extends World {
  private readonly left: WalkAction[][];
  private kills: number;
  /** The tab that has made the last step: it usually makes the next one. */
  private last: object | undefined = undefined;

  constructor(
    private readonly scenario: Scenario,
    storage: WorldOptions['storage'],
    private readonly choices: Choices,
  ) {
    const { withKeys, withTags, marks, losses, refusals } = scenario;
    const faults = { losses, refusals, busy: 0 };
    super({ storage, withKeys, withTags, marks, faults, storageFaults: 0 }, choices);
    this.left = scenario.tabs.map((actions) => [...actions]);
    this.kills = scenario.kills;
  }

  get history(): readonly string[] {
    return this.gates.history;
  }

  async run(): Promise<{ steps: number; broken: string[] }> {
    const broken = await this.runToEnd();
    return { steps: this.steps, broken };
  }

  protected async perform(): Promise<void> {
    const { gates, choices } = this;
    for (const _ of this.scenario.tabs) await this.open();
    // The pages are loaded before the user does anything.
    while (gates.all.some(({ isTimer }) => !isTimer)) {
      gates.openOne(choices, true);
      await gates.settle();
    }
    for (let options = this.options(); options.length > 0; options = this.options()) {
      this.steps += 1;
      options[choices.choose(options.length)]?.();
      await gates.settle();
    }
  }

  /** The steps that can happen next, the usual first. Empty: everything has happened. */
  private options(): (() => void)[] {
    const gates = this.gates.all;
    const prompt = gates.filter(({ isTimer }) => !isTimer);
    const open = (gate: Gate) => () => {
      this.last = gate.tab ?? this.last;
      this.gates.open(gate);
    };
    const own = prompt.filter(({ tab }) => tab === this.last);
    const others = prompt.filter(({ tab }) => tab !== this.last);
    const steps = [...own, ...others].map(open);
    const actions = this.tabs.flatMap((tab, at) => {
      const [action] = tab.isAlive ? (this.left[at] ?? []) : [];
      return action && tab.canPerform(action) ? [() => this.act(tab, at, action)] : [];
    });
    // Nothing but these goes on by itself, and time passes.
    if (steps.length + actions.length === 0) return [];
    const timers = gates.filter(({ isTimer }) => isTimer).map(open);
    const kills = this.kills > 0 ? this.alive.map((tab) => () => this.kill(tab)) : [];
    return [...steps, ...actions, ...timers, ...kills];
  }

  private act(tab: WalkTab, at: number, action: WalkAction): void {
    this.left[at]?.shift();
    this.last = tab.identity;
    this.note(tab.perform(action));
  }

  private kill(tab: WalkTab): void {
    this.kills -= 1;
    this.close(tab, 'is killed');
  }
}

/**
 * Runs all schedules of a scenario that deviate from the usual order at most so often: in the usual order, a tab goes on until it waits for
 * something, and no request gets lost. Every schedule begins anew.
 */
export async function explore(
  scenario: Scenario,
  storage: WorldOptions['storage'],
  deviations: number,
): Promise<Exploration> {
  const findings: { choices: readonly number[]; broken: readonly string[] }[] = [];
  let [schedules, steps] = [0, 0];
  for (let given: readonly number[] | undefined = []; given; ) {
    const choices: Choices = new Choices(given, deviations);
    const result = await new Schedule(scenario, storage, choices).run();
    schedules += 1;
    steps += result.steps;
    if (result.broken.length > 0) findings.push({ choices: given, broken: result.broken });
    given = choices.next();
  }
  return { schedules, steps, findings };
}

/** The history of one schedule, to read. */
export async function historyOf(
  scenario: Scenario,
  storage: WorldOptions['storage'],
  given: readonly number[],
): Promise<readonly string[]> {
  const schedule = new Schedule(scenario, storage, new Choices(given, given.length));
  await schedule.run();
  return schedule.history;
}

const common = { withKeys: true, withTags: true, marks: ['first'], losses: 1, refusals: 0, kills: 0 } as const;

/** The scenarios that are explored: two tabs, one record, two or three actions. */
export const SCENARIOS: readonly Scenario[] = [
  { ...common, name: 'both tabs save one field', tabs: [['title'], ['title']] },
  {
    ...common,
    isShort: true,
    name: 'both tabs save one field, without ETags',
    tabs: [['title'], ['title']],
    withTags: false,
    losses: 0,
  },
  { ...common, name: 'one tab saves, one erases', tabs: [['title'], ['erase']] },
  { ...common, name: 'a create is edited, and its tab is closed', tabs: [['create', 'note'], []], marks: [], kills: 1 },
  { ...common, isShort: true, name: 'a create that the other tab erases', tabs: [['create'], ['erase']], marks: [] },
  {
    ...common,
    isShort: true,
    name: 'a create without a key',
    tabs: [['create'], []],
    marks: [],
    withKeys: false,
    kills: 1,
  },
  {
    ...common,
    name: 'a save is refused while the other tab saves',
    tabs: [['title'], ['note']],
    losses: 0,
    refusals: 1,
  },
];
