import { Operation } from '../operation/operation.js';
import type { DataProxy } from '../proxy/data-proxy.js';
import { canonicalText } from '../util/canonical-text.js';
import { hashOf } from '../util/hash.js';
import { randomUuid } from './identifier.js';
import type { InnerModel } from './model-definition.js';
import { originOf, refuse } from './origin.js';
import { CLASS_KEY, DEFINITION, SETTINGS } from './symbols.js';

/** The things that tell the rows of two classes or stores apart: two that could show each other's rows have different identities. */
export interface Identity {
  /** The name of the model. */
  readonly model: string;
  /** A random key of the class. Each bound subclass has its own, because its headers may be those of another user. */
  readonly classKey: string;
  /** The absolute address at which rows are read now; `''` for a proxy without addresses. */
  readonly address: string;
  /** A hash of the parameters that the proxy adds to all requests now: they may be those of a tenant, and hold secrets. */
  readonly params: string;
  /** The option `scope` of the proxy: whose rows they are. */
  readonly scope: string | undefined;
}

/** A store: it may have a proxy of its own. */
interface IdentifiedStore {
  readonly model: object;
  readonly proxy: DataProxy;
}

/**
 * The identity of a model class, whose records are read one by one, or of a store, which reads lists. Calls the functions `pathParams` and
 * `extraParams` of the proxy; their errors are thrown.
 */
export function identityOf(subject: object): Identity {
  const isClass = DEFINITION in subject;
  const { model: Class, proxy } = isClass
    ? { model: subject, proxy: configuredProxy(subject) }
    : (subject as IdentifiedStore);
  const { [DEFINITION]: definition } = Class as InnerModel;
  // Any id will do: it makes the operation a read of one record.
  const read = new Operation({ action: 'read', id: isClass ? 1 : undefined, model: definition });
  const { address, params, scope } = originOf(proxy, read);
  const text = canonicalText(params, refuse);
  return {
    model: definition.name,
    classKey: ownKeyOf(Class),
    address,
    params: text === '{}' ? '' : hashOf(text),
    scope,
  };
}

/** The proxy of a class; undefined if none is configured. */
export function configuredProxy(model: object): DataProxy | undefined {
  const Class = model as InnerModel;
  return Class[SETTINGS]?.proxy && Class.proxy;
}

/** A random key of a class or a session, made at its first use. */
export function ownKeyOf(subject: object): string {
  // Classes inherit the members of their base class.
  if (!Object.hasOwn(subject, CLASS_KEY)) Object.defineProperty(subject, CLASS_KEY, { value: randomUuid() });
  return (subject as { readonly [CLASS_KEY]: string })[CLASS_KEY];
}
