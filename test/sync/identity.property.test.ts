import fc from 'fast-check';
import { isDataError, Model, plain, Session, Store } from 'repose';
import { memoryStorage, Outbox } from 'repose/outbox';
import { dehydrate, hydrate, stringify } from 'repose/ssr';
import { type QueryOf, recordQuery } from 'repose/tanstack-query';
import { expect, test } from 'vitest';
import { numberOfRuns, reportSeed } from '../helpers/property.js';
