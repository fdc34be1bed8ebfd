import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { storageContract } from 'repose/testing';
import { describe, test } from 'vitest';
import { fileStorage } from '../../../src/outbox/storage/file-storage.js';
import { memoryStorage } from '../../../src/outbox/storage/memory-storage.js';
import type { OutboxStorage } from '../../../src/outbox/storage/outbox-storage.js';
import { BrowserTabs } from './browser-tabs.js';

storageContract(
  {
    name: 'a storage in memory',
    createPlace: () => {
      // Nothing outlives the process, so that a tab that is opened again has the same storage.
      const storage = memoryStorage();
      return { createStorage: () => storage };
    },
  },
  { describe, test },
);

storageContract(
  {
    name: 'a storage in a file',
    createPlace: () => {
      const folder = mkdtempSync(path.join(tmpdir(), 'repose-storage-'));
      const file = path.join(folder, 'outbox.jsonl');
      const killed: OutboxStorage[] = [];
      return {
        createStorage: () => fileStorage(file),
        // The steps of a process that has lost its lock go on here, and must be refused.
        kill: (storage) => {
          rmSync(`${file}.lock`, { force: true });
          killed.push(storage);
        },
        destroy: async () => {
          for (const storage of killed) await storage.close();
          rmSync(folder, { recursive: true });
        },
      };
    },
  },
  { describe, test },
);

storageContract(
  {
    name: 'a storage in IndexedDB',
    createPlace: () => {
      const tabs = new BrowserTabs();
      return { createStorage: () => tabs.createStorage(), kill: (storage) => tabs.kill(storage) };
    },
  },
  { describe, test },
);
