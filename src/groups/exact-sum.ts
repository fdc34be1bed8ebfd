const DECIMAL = /^([+-]?)(\d+)(?:\.(\d+))?$/;

/** Adds up decimals given as text, without losing a digit. */
export class ExactSum {
  private units = 0n;
  /** Number of digits after the decimal point. */
  private scale = 0;

  /** Adds a decimal. Returns false, and adds nothing, if the text is not a decimal. */
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
    const commonScale = Math.max(scale, this.scale);
    this.units = this.units * 10n ** BigInt(commonScale - this.scale) + units * 10n ** BigInt(commonScale - scale);
    this.scale = commonScale;
  }
}
