import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { launch, type RealServer } from './real-server.js';

/** The header by which Redmine knows the user of the tests, who may do everything. */
export const REDMINE_KEY = { 'X-Redmine-API-Key': '0123456789abcdef0123456789abcdef01234567' } as const;

const HOME = '/usr/share/redmine';
/** The database that the Debian package filled with tables, trackers, statuses and priorities. */
const DATABASE = '/var/lib/dbconfig-common/sqlite3/redmine/instances/default/redmine_default';

/** An issue with which Redmine starts, by its members in Redmine. */
export interface IssueRow {
  readonly id: number;
  readonly subject: string;
  readonly description: string;
  readonly tracker: number;
  readonly estimated_hours: number | null;
  readonly done_ratio: number;
}

/** Sixty issues, ids 1 to 60. Number 59 has a subject with characters that are special in a query, number 60 no estimate. */
export const ISSUES: readonly IssueRow[] = Array.from({ length: 60 }, (_, index) => {
  const id = index + 1;
  return {
    id,
    subject: id === 59 ? 'Zoë & Søn #1, 100% a+b=c?' : `Issue ${String(id).padStart(2, '0')}`,
    description: 'seeded',
    tracker: 1 + (id % 2),
    estimated_hours: id === 60 ? null : 20 + (id % 40),
    done_ratio: 10 * (id % 11),
  };
});

/**
 * Redmine with a project and issues. Needs the Debian packages `redmine`, `redmine-sqlite` and `thin`, and the right to read their
 * database.
 */
export function startRedmine(): Promise<RealServer> {
  return launch({
    name: 'Redmine (Debian packages redmine, redmine-sqlite and thin)',
    probe: '/issues.json?limit=1',
    async prepare(folder) {
      const database = join(folder, 'redmine.sqlite3');
      await copyFile(DATABASE, database);
      await writeFile(join(folder, 'issues.json'), JSON.stringify(ISSUES));
      const script = fileURLToPath(new URL('./rack_server.rb', import.meta.url));
      const seed = fileURLToPath(new URL('./redmine_seed.rb', import.meta.url));
      return {
        command: 'ruby',
        args: [script, HOME, seed],
        env: {
          RAILS_ENV: 'production',
          DATABASE_URL: `sqlite3:${database}`,
          BUNDLE_GEMFILE: `${HOME}/Gemfile`,
          TMPDIR: folder,
          REPOSE_SEED: folder,
          REPOSE_KEY: REDMINE_KEY['X-Redmine-API-Key'],
        },
      };
    },
  });
}

/** The version of the installed Redmine. */
export async function redmineVersion(): Promise<string> {
  const source = await readFile(`${HOME}/lib/redmine/version.rb`, 'utf8');
  return ['MAJOR', 'MINOR', 'TINY'].map((part) => new RegExp(`${part} *= *(\\d+)`).exec(source)?.[1]).join('.');
}
