/** Random numbers that depend on the seed and a key only, not on the numbers drawn for other keys. */
export class Random {
  private state: number;

  constructor(...key: readonly (number | string)[]) {
    let hash = 0x811c9dc5;
    for (const char of key.join('/')) hash = Math.imul(hash ^ char.charCodeAt(0), 0x01000193);
    this.state = hash >>> 0;
    // Without this, similar keys would start with similar numbers.
    this.next();
  }

  /** From 0 to below 1 (mulberry32). */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), this.state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number, both ends included. */
  integer(min: number, max: number): number {
    return min + Math.floor(this.next() * (max - min + 1));
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(list: readonly T[]): T {
    return list[Math.floor(this.next() * list.length)] as T;
  }

  /** One of the names, each as likely as its weight says. */
  weighed<T extends string>(weights: Readonly<Partial<Record<T, number>>>): T {
    const entries = Object.entries(weights) as [T, number][];
    let left = this.next() * entries.reduce((sum, [, weight]) => sum + weight, 0);
    for (const [name, weight] of entries) if ((left -= weight) < 0) return name;
    return (entries.at(-1) as [T, number])[0];
  }
}
