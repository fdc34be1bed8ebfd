const DECIMAL = /^([+-]?)(\d+)(?:\.(\d+))?$/;

/** A sum of decimals in text form that loses no digit. */
export class ExactSum {
  private units = 0n;
  /** Digits behind the point. */
  private scale = 0;

  /** Adds a decimal; false where the text is none. */
  add(text: string): boolean {
    const [, sign, int = '', fraction = ''] = DECIMAL.exec(text) ?? [];
    if (sign === undefined) return false;
    const units = BigInt(int + fraction);
    this.addUnits(sign === '-' ? -units : units, fraction.length);
    return true;
  }

  merge({ units, scale }: ExactSum): void {
    this.addUnits(units, scale);
  }

  toString(): string {
    const { units, scale } = this;
    const digits = String(units < 0n ? -units : units).padStart(scale + 1, '0');
    const point = digits.length - scale;
    return `${units < 0n ? '-' : ''}${digits.slice(0, point)}${scale > 0 ? `.${digits.slice(point)}` : ''}`;
  }

  private addUnits(units: bigint, scale: number): void {
    const most = Math.max(scale, this.scale);
    this.units = this.units * 10n ** BigInt(most - this.scale) + units * 10n ** BigInt(most - scale);
    this.scale = most;
  }
}
