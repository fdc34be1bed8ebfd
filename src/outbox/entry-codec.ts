import { formatMessage } from '../errors/messages.js';
import { ValidationError } from '../errors/validation-error.js';
import { findFile } from '../util/files.js';
import { parseJson } from '../util/parse-json.js';
import { stringifyJson } from '../util/stringify-json.js';
import { copyPlain } from '../util/values.js';
import { isEntry, type OutboxEntry } from './outbox-entry.js';
import { OutboxError } from './outbox-error.js';
import type { StoredItem } from './outbox-storage.js';

/** The version of the stored form of entries. */
const FORMAT = 1;

/** The options that decide how entries are stored and read. */
export interface CodecConfig {
  readonly scope: string;
  readonly version: number;
  readonly migrate: ((entry: OutboxEntry, fromVersion: number) => OutboxEntry) | undefined;
  readonly encrypt: ((text: string) => string | Promise<string>) | undefined;
  readonly decrypt: ((data: string) => string | Promise<string>) | undefined;
}

/** Converts entries into stored items and back. */
export class EntryCodec {
  constructor(private readonly config: CodecConfig) {}

  /** Rejects with `ValidationError` for values that JSON cannot hold, and with `OutboxError` if `encrypt` fails. */
  async write(entry: OutboxEntry): Promise<StoredItem> {
    const { key, scope } = entry;
    let text: string;
    try {
      text = stringifyJson({ format: FORMAT, entry }) as string;
    } catch (cause) {
      const file = findFile(entry);
      // In an entry, the name of the field follows the name of a member such as `values`.
      if (file)
        throw new ValidationError([
          { path: file.slice(1), message: formatMessage('outbox-file'), code: 'outbox-file' },
        ]);
      throw new ValidationError([{ path: [], message: (cause as Error).message, code: 'json' }], { cause });
    }
    return { key, scope, data: await this.encrypt(text) };
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

  /** Rejects with `OutboxError` for an item that cannot be decrypted, read or migrated. */
  async read({ data, key, scope }: StoredItem): Promise<OutboxEntry> {
    const { version: currentVersion, migrate } = this.config;
    const { format, entry } = await this.parse(data);
    if (format !== FORMAT)
      throw new OutboxError('outbox-version', { what: 'A stored write', version: format, known: FORMAT });
    // An item that somebody copied to another key or scope must not be sent, so the entry inside is compared with both.
    if (!isEntry(entry) || entry.key !== key || entry.scope !== scope)
      throw new OutboxError('outbox-migrate', { version: '?', why: 'it is no entry' });
    const { version } = entry;
    if (version === currentVersion) return Object.freeze(entry);
    if (version > currentVersion)
      throw new OutboxError('outbox-version', { what: 'A stored write', version, known: currentVersion });
    if (!migrate) throw new OutboxError('outbox-migrate', { version, why: 'there is no `migrate`' });
    let migrated: OutboxEntry;
    try {
      migrated = migrate(copyPlain(entry), version);
    } catch (cause) {
      throw new OutboxError('outbox-migrate', { version, why: messageOf(cause) }, { cause });
    }
    if (!isEntry(migrated)) throw new OutboxError('outbox-migrate', { version, why: '`migrate` gave no entry' });
    return Object.freeze({ ...migrated, version: currentVersion, key, scope });
  }

  private async parse(data: string): Promise<{ format?: unknown; entry?: unknown }> {
    const { decrypt } = this.config;
    try {
      const { value } = parseJson(decrypt ? await decrypt(data) : data);
      return (value ?? {}) as object;
    } catch (cause) {
      throw new OutboxError('outbox-decrypt', { why: messageOf(cause) }, { cause });
    }
  }
}

/** The message of an error that a function of the application threw. */
function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
