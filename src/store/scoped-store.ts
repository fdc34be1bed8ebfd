import type { Model } from '../model/model.js';
import { Store } from './store.js';
import type { StoreConfig } from './store-config.js';
import type { StoreScope } from './store-scope.js';

/** Makes a store of a part of a collection. */
export function scopedStore<M extends Model>(config: StoreConfig<M>, scope: StoreScope<M>): Store<M> {
  return new (Store as new (config: StoreConfig<M>, scope: StoreScope<M>) => Store<M>)(config, scope);
}
