import { formatMessage } from '../errors/message-format.js';
import { plainChangesMessages } from '../errors/messages/changes.js';
import { ValidationError } from '../errors/validation-error.js';
import { findFile } from '../util/files.js';
import { parseJson, stringifyJson } from '../util/json.js';
import { copyPlain } from '../util/values.js';
import { changesOfEntry, isEntry, progressOfEntry } from './format-1.js';
import { OutboxError } from './outbox-error.js';
import type { LoggedItem } from './storage/outbox-storage.js';
import { isStoredChange, type LoggedChange, type Progress, type StoredChange, UNSENT } from './stored-change.js';

/** The version of the stored form of changes. */
const FORMAT = 2;

/** The options that decide how changes are stored and read. */
export interface CodecConfig {
  readonly scope: string;
  readonly version: number;
  readonly migrate: ((change: StoredChange, fromVersion: number) => StoredChange) | undefined;
  readonly encrypt: ((text: string) => string | Promise<string>) | undefined;
  readonly decrypt: ((data: string) => string | Promise<string>) | undefined;
}

/** Converts changes, their progress and their outcomes into texts and back. */
export class ChangeCodec {
  /** The changes that were read, by the keys of their items: an item never changes. */
  private readonly known: Map<number, readonly StoredChange[]> = new Map();

  constructor(private readonly config: CodecConfig) {}

  /** Rejects with `ValidationError` for values that JSON cannot hold, and with `OutboxError` if `encrypt` fails. */
  writeChange(change: StoredChange): Promise<string> {
    try {
      return this.write({ format: FORMAT, change });
    } catch (cause) {
      const file = findFile(change);
      // The name of the field follows the name of a member such as `values`.
      if (file)
        throw new ValidationError([
          { path: file.slice(1), message: formatMessage('outbox-file', {}, plainChangesMessages), code: 'outbox-file' },
        ]);
      throw new ValidationError([{ path: [], message: (cause as Error).message, code: 'json' }], { cause });
    }
  }

  /** Converts a value, such as the progress of a change, into text. */
  write(value: object): Promise<string> {
    return this.encrypt(stringifyJson(value) as string);
  }

  /** Reads a text that `write` has made. Rejects with `OutboxError` if it cannot be read. */
  async read<T>(data: string): Promise<T> {
    const { decrypt } = this.config;
    try {
      return (parseJson(decrypt ? await decrypt(data) : data).value ?? {}) as T;
    } catch (cause) {
      throw new OutboxError('outbox-decrypt', { why: messageOf(cause) }, { cause });
    }
  }

  /** Reads an item: its changes that have no response yet. Rejects with `OutboxError` for an item that cannot be read or migrated. */
  async readItem(item: LoggedItem): Promise<readonly LoggedChange[]> {
    const { key } = item;
    let changes = this.known.get(key);
    let progress = item.progress === undefined ? undefined : await this.read<Progress>(item.progress);
    if (!changes) {
      const { format, change, entry } = await this.read<{ format?: unknown; change?: unknown; entry?: unknown }>(
        item.data,
      );
      if (format !== FORMAT && format !== 1)
        throw new OutboxError('outbox-version', { what: 'A stored write', version: format, known: FORMAT });
      const isOld = format === 1;
      if (!(isOld ? isEntry(entry) : isStoredChange(change)))
        throw new OutboxError('outbox-migrate', { version: '?', why: 'it is no entry' });
      if (isOld && isEntry(entry)) progress ??= progressOfEntry(entry);
      const stored = isOld && isEntry(entry) ? changesOfEntry(entry) : [change as StoredChange];
      // An item that somebody copied to another scope must not be sent, so the scope inside is compared.
      if (stored.some(({ scope }) => scope !== item.scope))
        throw new OutboxError('outbox-migrate', { version: '?', why: 'it is no entry' });
      changes = stored.map((each) => this.migrated(each));
      if (!isOld) this.known.set(key, changes);
    }
    const { answered = 0 } = progress ?? {};
    return changes.slice(answered).map((change, at): LoggedChange => {
      // The progress of an item with several changes is that of the first one that has no response.
      return { key, part: answered + at, change, progress: (at === 0 && progress) || UNSENT };
    });
  }

  /** Forgets an item that is stored no longer. */
  forget(key: number): void {
    this.known.delete(key);
  }

  private migrated(change: StoredChange): StoredChange {
    const { version: current, migrate } = this.config;
    const { version, scope, key } = change;
    if (version === current) return Object.freeze(change);
    if (version > current) throw new OutboxError('outbox-version', { what: 'A stored write', version, known: current });
    if (!migrate) throw new OutboxError('outbox-migrate', { version, why: 'there is no `migrate`' });
    let migrated: StoredChange;
    try {
      migrated = migrate(copyPlain(change), version);
    } catch (cause) {
      throw new OutboxError('outbox-migrate', { version, why: messageOf(cause) }, { cause });
    }
    if (!isStoredChange(migrated)) throw new OutboxError('outbox-migrate', { version, why: '`migrate` gave no entry' });
    return Object.freeze({ ...migrated, version: current, key, scope });
  }

  private async encrypt(text: string): Promise<string> {
    const { encrypt } = this.config;
    try {
      const encrypted: unknown = encrypt ? await encrypt(text) : text;
      // Some storages would accept another type, but no storage could read it back.
      if (typeof encrypted !== 'string') throw new TypeError(`\`encrypt\` must give text, not ${typeof encrypted}`);
      return encrypted;
    } catch (cause) {
      throw new OutboxError('outbox-storage', { what: 'encrypt a write', why: messageOf(cause) }, { cause });
    }
  }
}

/** The message of an error that a function of the application threw. */
function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
