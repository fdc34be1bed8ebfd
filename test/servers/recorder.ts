import { readFileSync, writeFileSync } from 'node:fs';
import { CHECKS, type CheckName, type ServerProfile } from './profile.js';

/** The findings of one run: `passed`, or the reason why a check was left out. Written to `reports/NAME.json`. */
export interface ServerReport {
  readonly title: string;
  readonly version: string;
  readonly dialect: string;
  readonly checks: Readonly<Partial<Record<CheckName, string>>>;
  /** Checks of this server alone. */
  readonly more: readonly string[];
  readonly notes: readonly string[];
}

/** Collects the results of the checks of one profile. */
export class Recorder {
  private readonly passed = new Set<string>();

  constructor(
    readonly name: string,
    readonly profile: ServerProfile,
  ) {}

  pass(check: string): void {
    this.passed.add(check);
  }

  /** Writes the report if all checks have run and passed, so that a run of some checks does not replace that of all. */
  write(version: string, more: readonly string[]): void {
    const { title, dialect, without = {}, notes = [] } = this.profile;
    const names = Object.keys(CHECKS) as CheckName[];
    if (![...names, ...more].every((check) => this.passed.has(check) || check in without)) return;
    const report: ServerReport = {
      title,
      version,
      dialect,
      checks: Object.fromEntries(names.map((check) => [check, without[check] ?? 'passed'])),
      more,
      notes,
    };
    const file = new URL(`./reports/${this.name}.json`, import.meta.url);
    const text = `${JSON.stringify(report, null, 2)}\n`;
    if (textOf(file) !== text) writeFileSync(file, text);
  }
}

function textOf(file: URL): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
