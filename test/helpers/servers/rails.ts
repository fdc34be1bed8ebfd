import { execFile } from 'node:child_process';
import { appendFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { launch, type RealServer } from './real-server.js';
import { USERS } from './seed.js';

const run = promisify(execFile);

/** Parts of Rails that the application does not need. */
const LEFT_OUT = [
  ...['action-cable', 'action-mailbox', 'action-mailer', 'action-text', 'active-storage', 'bootsnap', 'bundle', 'git'],
  ...['javascript', 'listen', 'puma', 'spring', 'sprockets', 'test'],
].map((part) => `--skip-${part}`);

const COLUMNS = [
  'name:string',
  'email:string:uniq',
  'age:integer',
  'team:integer',
  'serial:bigint',
  'lock_version:integer',
];

/** `source` is never asked, because the gems are those of Debian. */
const GEMFILE = `source 'https://rubygems.org'
gem 'rails'
gem 'sqlite3'
gem 'thin'
gem 'kaminari'
gem 'api-pagination'
`;

/** The rules that a person adds to a model after the generator. */
const model = (name: string) => `class ${name} < ApplicationRecord
  validates :name, presence: true
  validates :email, uniqueness: true, allow_nil: true
end
`;

/** The list of members, page by page. */
const PAGED = `
class MembersController
  def index
    paginate json: Member.order(:id)
  end
end
`;

/**
 * A Rails application made by the generators of Rails: `/users` is a scaffold as it comes, `/members` the same with the pages of
 * api-pagination and kaminari. Needs the Debian packages `ruby-rails`, `ruby-sqlite3`, `thin`, `ruby-kaminari` and
 * `ruby-api-pagination`.
 */
export function startRails(): Promise<RealServer> {
  return launch({
    name: 'Rails (Debian packages ruby-rails, ruby-sqlite3, thin, ruby-kaminari and ruby-api-pagination)',
    probe: '/users/1.json',
    async prepare(folder) {
      const app = join(folder, 'app');
      const env = {
        RAILS_ENV: 'production',
        SECRET_KEY_BASE: 'a secret that only the tests know',
        BUNDLE_GEMFILE: join(app, 'Gemfile'),
        REPOSE_SEED: folder,
      };
      const inApp = (command: string, ...args: readonly string[]) =>
        run(command, args, { cwd: app, env: { ...process.env, ...env } });
      await run('rails', ['new', app, '--api', '--database=sqlite3', ...LEFT_OUT], { cwd: folder });
      await writeFile(join(app, 'Gemfile'), GEMFILE);
      await inApp('bundle', 'lock', '--local');
      for (const name of ['user', 'member']) {
        await inApp('bin/rails', 'generate', 'scaffold', name, ...COLUMNS, '--no-test-framework');
        await writeFile(join(app, `app/models/${name}.rb`), model(name === 'user' ? 'User' : 'Member'));
      }
      await appendFile(join(app, 'app/controllers/members_controller.rb'), PAGED);
      await inApp('bin/rails', 'db:migrate');
      await writeFile(join(folder, 'users.json'), JSON.stringify(USERS));
      const script = fileURLToPath(new URL('./rack_server.rb', import.meta.url));
      const seed = fileURLToPath(new URL('./rails_seed.rb', import.meta.url));
      return { command: 'ruby', args: [script, app, seed], env };
    },
  });
}

/** The version of the installed Rails. */
export async function railsVersion(): Promise<string> {
  const { stdout } = await run('rails', ['--version'], { cwd: '/' });
  return stdout.replace(/^Rails /, '').trim();
}
