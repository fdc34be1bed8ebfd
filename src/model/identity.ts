import { Operation } from '../operation/operation.js';
import type { DataProxy } from '../proxy/data-proxy.js';
import { randomUuid } from './identifier.js';
import type { ModelDefinition } from './model-definition.js';
import type { Settings } from './settings.js';
import { CLASS_KEY, DEFINITION, SETTINGS } from './symbols.js';

/** The things that tell the rows of two classes apart. */
export interface Identity {
  /** The name of the model. */
  readonly model: string;
  /** A key of the class. Each bound subclass has its own, because its headers may be those of another user. */
  readonly classKey: string;
  /** The absolute address at which records are read now; `''` for a proxy without addresses. */
  readonly place: string;
}

interface IdentifiedClass {
  readonly [DEFINITION]: ModelDefinition;
  readonly [SETTINGS]?: Settings;
  readonly proxy: DataProxy;
}

/**
 * The identity of a model class: two classes that could show each other's rows have different ones. Class keys are random, so they are
 * unequal in a server and its page; there, the other members identify.
 */
export function identityOf(model: object): Identity {
  const { [DEFINITION]: definition } = model as IdentifiedClass;
  return { model: definition.name, classKey: classKeyOf(model), place: placeOf(definition, configuredProxy(model)) };
}

/** The proxy of a class; undefined if none is configured. */
export function configuredProxy(model: object): DataProxy | undefined {
  const Class = model as IdentifiedClass;
  return Class[SETTINGS]?.proxy && Class.proxy;
}

/** The key of a class, made at its first use. */
function classKeyOf(model: object): string {
  // Classes inherit the members of their base class.
  if (!Object.hasOwn(model, CLASS_KEY)) Object.defineProperty(model, CLASS_KEY, { value: randomUuid() });
  return (model as { readonly [CLASS_KEY]: string })[CLASS_KEY];
}

function placeOf(model: ModelDefinition, proxy: DataProxy | undefined): string {
  // Any id will do: it makes the operation a read of one record.
  return proxy?.placeOf(new Operation({ action: 'read', id: 1, model })) ?? '';
}
