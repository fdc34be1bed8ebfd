import { createContext, useContext } from 'react';
import type { Api } from '../api/models';

export const ApiContext = createContext<Api | undefined>(undefined);

/** The models and lists of the user who is signed in. */
export function useApi(): Api {
  const api = useContext(ApiContext);
  if (!api) throw new Error('This page needs somebody who is signed in.');
  return api;
}
