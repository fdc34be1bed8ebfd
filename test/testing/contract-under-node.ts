// Run by a test: the contract under node's own runner.
import { describe, test } from 'node:test';
import { MemoryProxy } from 'repose';
import { proxyContract } from 'repose/testing';

proxyContract(
  { createProxy: () => new MemoryProxy(), without: { total: 'to see a test left out' } },
  { describe, test, skip: test.skip },
);
