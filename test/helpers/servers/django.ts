import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { launch, type RealServer } from './real-server.js';
import { TEAMS, USERS } from './seed.js';

/**
 * A Django REST Framework application; `django_app.py` tells its addresses.
 *
 * Needs a Python with `djangorestframework`, `djangorestframework-simplejwt` and `django-filter`: the one that the environment variable
 * `REPOSE_PYTHON` names, else the system's.
 */
export function startDjango(): Promise<RealServer> {
  return launch({
    name: 'Django REST Framework',
    probe: '/api/users/1/',
    async prepare(folder) {
      const command = await pythonWithDjango();
      await writeFile(join(folder, 'seed.json'), JSON.stringify({ teams: TEAMS, users: USERS }));
      return { command, args: ['-B', fileURLToPath(new URL('./django_app.py', import.meta.url)), folder] };
    },
  });
}

const run = promisify(execFile);

/** The version of Django REST Framework. */
export async function djangoVersion(): Promise<string> {
  const code = 'import rest_framework; print(rest_framework.VERSION)';
  const { stdout } = await run(await pythonWithDjango(), ['-B', '-c', code]);
  return stdout.trim();
}

async function pythonWithDjango(): Promise<string> {
  const named = process.env['REPOSE_PYTHON'];
  const candidates = named ? [named] : ['/usr/bin/python3', 'python3', 'python'];
  const refusals: string[] = [];
  for (const command of candidates) {
    try {
      await run(command, ['-B', '-c', 'import django, rest_framework, django_filters, rest_framework_simplejwt'], {
        timeout: 30_000,
      });
      return command;
    } catch (error) {
      refusals.push(`  ${command}: ${lastLine(error)}`);
    }
  }
  throw new Error(
    'no Python with Django REST Framework was found. Install the Debian packages python3-djangorestframework, ' +
      'python3-djangorestframework-simplejwt and python3-django-filters, or djangorestframework, djangorestframework-simplejwt and ' +
      'django-filter from PyPI, and name the interpreter in REPOSE_PYTHON. ' +
      `Tried:\n${refusals.join('\n')}`,
  );
}

function lastLine(error: unknown): string {
  const { stderr, message } = error as Error & { stderr?: string };
  return (stderr?.trim() || message).split('\n').at(-1) ?? '';
}
