import { Random } from '../../faults/random.js';
import { World, type WorldOptions } from './world.js';

export interface WalkOptions {
  readonly seed: number;
  /** The number of steps before all faults end. */
  readonly steps: number;
  readonly tabs: number;
  readonly storage: WorldOptions['storage'];
}

export interface WalkResult {
  readonly steps: number;
  readonly findings: readonly string[];
  readonly history: readonly string[];
}

/** A walk: the steps of a world happen in a random order that a seed repeats. */
export class Walk extends World {
  private readonly random: Random;
  private kills: number;

  constructor(private readonly options: WalkOptions) {
    const random = new Random(options.seed, 'walk');
    const isTrue = () => random.integer(0, 1) === 1;
    const [withKeys, withTags, kills] = [isTrue(), isTrue(), random.integer(0, 2)];
    super(
      {
        ...{ storage: options.storage, withKeys, withTags, marks: ['first', 'second'] },
        storageFaults: random.integer(0, 2),
        faults: { losses: random.integer(0, 4), refusals: random.integer(0, 2), busy: random.integer(0, 2) },
      },
      random,
    );
    this.random = random;
    this.kills = kills;
  }

  async run(): Promise<WalkResult> {
    const findings = await this.runToEnd();
    return { steps: this.steps, findings, history: this.gates.history };
  }

  protected async perform(): Promise<void> {
    const { gates, random, options } = this;
    for (let at = 0; at < options.tabs; at += 1) await this.open();
    for (; this.steps < options.steps; this.steps += 1) {
      const { alive } = this;
      const dice = random.integer(0, 99);
      if (dice < 3 && this.kills > 0 && alive.length > 0) {
        this.kills -= 1;
        this.close(random.pick(alive), 'is killed');
      } else if (dice < 6 && alive.length < options.tabs) await this.open();
      else if ((dice < 25 || gates.count === 0) && alive.length > 0) this.note(random.pick(alive).act(random));
      else gates.openOne(random);
      await gates.settle();
    }
  }
}
